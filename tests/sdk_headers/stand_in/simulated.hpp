// Hands calls of the declared SDK to the simulated one in this process.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <typeindex>

#include "AdvancedMotionApi.h"
#include "CoreMotionApi.h"
#include "CyclicBufferApi.h"
#include "EcApi.h"
#include "EventApi.h"
#include "IOApi.h"
#include "UserMemoryApi.h"

namespace stand_in {

namespace py = pybind11;

/// The module of the simulated SDK that new devices belong to.
py::object& simulated();

/// A class of values: its name there, and how its members come and go.
struct Shape {
    std::string name;
    std::function<void(const void*, py::object&)> give;
    std::function<void(void*, const py::dict&)> take;
};
const Shape& shape_of(std::type_index type);
/// Whether there is one: what nothing here uses stays as it is.
bool has_shape(std::type_index type);

inline py::object made(const char* name) { return simulated().attr(name)(); }

// From C++

template <class T>
py::object given(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        return py::bool_(value);
    } else if constexpr (std::is_same_v<T, char>) {
        return py::int_(static_cast<int>(static_cast<signed char>(value)));
    } else if constexpr (std::is_enum_v<T>) {
        return py::int_(static_cast<int>(value));
    } else if constexpr (std::is_integral_v<T>) {
        return py::int_(value);
    } else if constexpr (std::is_floating_point_v<T>) {
        return py::float_(value);
    } else {
        const Shape& shape = shape_of(typeid(T));
        py::object object = made(shape.name.c_str());
        shape.give(&value, object);
        return object;
    }
}
template <class T>
py::object given(T* value) {
    return given(*value);
}
inline py::object given(char* text) { return py::str(text); }
inline py::object given(const char* text) { return py::str(text); }
inline py::object given(const py::object& object) { return object; }

/// So many of them, as a list.
template <class T>
py::object list(std::size_t count, const T* first) {
    py::list all;
    for (std::size_t i = 0; i < count; ++i) all.append(given(first[i]));
    return all;
}

// Into C++

template <class T>
void take(T& place, py::handle value) {
    if constexpr (std::is_same_v<T, bool>) {
        place = PyObject_IsTrue(value.ptr()) == 1;
    } else if constexpr (std::is_floating_point_v<T>) {
        place = static_cast<T>(py::float_(py::reinterpret_borrow<py::object>(value)));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
        py::int_ number(py::reinterpret_borrow<py::object>(value));
        place = static_cast<T>(static_cast<long long>(number));
    } else {
        // What is not simulated answers 0 for an object.
        if (has_shape(typeid(T)) && py::hasattr(value, "__dict__"))
            shape_of(typeid(T)).take(&place, value.attr("__dict__"));
    }
}

/// An object of the declared SDK, or a part of it: what there is of it in the simulated one.
struct Place {
    void* object;
    const char* inner = nullptr;

    py::object found() const {
        auto whole = py::reinterpret_borrow<py::object>(static_cast<PyObject*>(object));
        return inner == nullptr ? whole : py::object(whole.attr(inner));
    }
};

inline long code_of(const py::object& answer) {
    if (py::isinstance<py::tuple>(answer)) return py::cast<long>(py::tuple(answer)[0]);
    return py::cast<long>(answer);
}

/// Calls a function that answers a code alone, or whose other answers nobody wants.
template <class... A>
long order(Place place, const char* name, const A&... arguments) {
    py::gil_scoped_acquire acquired;
    return code_of(place.found().attr(name)(given(arguments)...));
}

/// Calls a function and takes what follows the code of its answer, by `rest`.
template <class Rest, class... A>
long ask(Place place, const char* name, Rest rest, const A&... arguments) {
    py::gil_scoped_acquire acquired;
    py::object answer = place.found().attr(name)(given(arguments)...);
    long code = code_of(answer);
    if (py::isinstance<py::tuple>(answer)) {
        py::tuple all(answer);
        if (all.size() > 1) rest([&](std::size_t i) { return py::object(all[i + 1]); });
    }
    return code;
}

/// What takes the answers one after another into places.
template <class... T>
auto into(T*... places) {
    return [=](auto answers) {
        std::size_t i = 0;
        (take(*places, answers(i++)), ...);
    };
}

/// What takes a list of bytes into a block, and what follows into places.
template <class... T>
auto block(std::size_t size, unsigned char* bytes, T*... places) {
    return [=](auto answers) {
        std::size_t at = 0;
        for (py::handle byte : py::list(answers(0)))
            if (at < size) take(bytes[at++], byte);
        std::size_t i = 1;
        (take(*places, answers(i++)), ...);
    };
}

}  // namespace stand_in
