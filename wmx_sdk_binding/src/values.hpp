// Numbers, texts and objects between Python and C++; what does not fit is refused.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace binding {

namespace py = pybind11;

[[noreturn]] inline void refuse(PyObject* kind, const std::string& text) {
    PyErr_SetString(kind, text.c_str());
    throw py::error_already_set();
}

inline std::string type_of(py::handle value) { return Py_TYPE(value.ptr())->tp_name; }

/// A whole number of Python, also one of NumPy; never a float, as the SDK's own modules have it.
inline py::int_ whole(py::handle value) {
    if (PyFloat_Check(value.ptr()) || !PyIndex_Check(value.ptr()))
        refuse(PyExc_TypeError, "an integer is required, not " + type_of(value));
    PyObject* number = PyNumber_Index(value.ptr());
    if (number == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::int_>(number);
}

inline long long whole_within(py::handle value, long long least, long long most) {
    int too_large = 0;
    py::int_ number = whole(value);
    long long found = PyLong_AsLongLongAndOverflow(number.ptr(), &too_large);
    if (too_large != 0 || found < least || found > most)
        refuse(PyExc_OverflowError, std::string(py::str(number)) + " must be " +
                                        std::to_string(least) + " to " + std::to_string(most));
    return found;
}

/// How a C++ type is in Python.
template <class T, class = void>
struct Value {  // a class of the SDK
    static T& from(py::handle value) {
        if (!py::isinstance<T>(value))
            refuse(PyExc_TypeError, std::string(py::str(py::type::of<T>().attr("__name__"))) +
                                        " is required, not " + type_of(value));
        return value.cast<T&>();
    }
    static py::object to(T& value, py::handle owner) {
        return py::cast(&value, py::return_value_policy::reference_internal, owner);
    }
    static void set(T& place, py::handle value) { place = from(value); }
};

template <class T>
struct Value<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
    // A plain char has a sign here, whatever the compiler thinks of it: a polarity of -1 is none of
    // the numbers that an unsigned one has, and one byte in memory either way.
    using Number = std::conditional_t<std::is_same_v<T, char>, signed char, T>;
    static T from(py::handle value) {
        using Limits = std::numeric_limits<Number>;
        if constexpr (sizeof(T) == 8 && std::is_unsigned_v<Number>) {
            py::int_ number = whole(value);
            unsigned long long found = PyLong_AsUnsignedLongLong(number.ptr());
            if (PyErr_Occurred() != nullptr) throw py::error_already_set();
            return static_cast<T>(found);
        } else {
            return static_cast<T>(static_cast<Number>(
                whole_within(value, static_cast<long long>(Limits::min()),
                             static_cast<long long>(Limits::max()))));
        }
    }
    static py::object to(T value, py::handle = {}) { return py::int_(static_cast<Number>(value)); }
    static void set(T& place, py::handle value) { place = from(value); }
};

template <class T>
struct Value<T, std::enable_if_t<std::is_enum_v<T>>> {
    static T from(py::handle value) { return static_cast<T>(Value<int>::from(value)); }
    static py::object to(T value, py::handle = {}) { return py::int_(static_cast<int>(value)); }
    static void set(T& place, py::handle value) { place = from(value); }
};

template <>
struct Value<bool> {
    static bool from(py::handle value) {
        if (!PyIndex_Check(value.ptr()) && type_of(value).rfind("numpy.bool", 0) != 0)
            refuse(PyExc_TypeError, "a bool is required, not " + type_of(value));
        int found = PyObject_IsTrue(value.ptr());
        if (found < 0) throw py::error_already_set();
        return found != 0;
    }
    static py::object to(bool value, py::handle = {}) { return py::bool_(value); }
    static void set(bool& place, py::handle value) { place = from(value); }
};

template <class T>
struct Value<T, std::enable_if_t<std::is_floating_point_v<T>>> {
    static T from(py::handle value) {
        double found = PyFloat_AsDouble(value.ptr());
        if (found == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
        return static_cast<T>(found);
    }
    static py::object to(T value, py::handle = {}) { return py::float_(value); }
    static void set(T& place, py::handle value) { place = from(value); }
};

/// A text in an array of characters; one that does not fit is refused.
template <std::size_t N>
struct Value<char[N]> {
    static py::object to(char (&value)[N], py::handle) {
        return py::reinterpret_steal<py::object>(
            PyUnicode_DecodeUTF8(value, static_cast<Py_ssize_t>(strnlen(value, N)), "replace"));
    }
    static void set(char (&place)[N], py::handle value) {
        std::string text = py::cast<std::string>(value);
        if (text.size() >= N)
            refuse(PyExc_ValueError, "a text of " + std::to_string(text.size()) +
                                         " bytes: must be less than " + std::to_string(N));
        std::memset(place, 0, N);
        std::memcpy(place, text.data(), text.size());
    }
};

/// The index of an element, checked against the length of the array.
template <std::size_t N>
std::size_t index_of(py::handle value) {
    long long index = whole_within(value, std::numeric_limits<int>::min(),
                                   std::numeric_limits<int>::max());
    if (index < 0 || index >= static_cast<long long>(N))
        refuse(PyExc_IndexError,
               "index " + std::to_string(index) + " must be 0 to " + std::to_string(N - 1));
    return static_cast<std::size_t>(index);
}

/// A whole array: a tuple of its elements, set from any sequence that is not too long.
template <class T, std::size_t N>
struct Value<T[N], std::enable_if_t<!std::is_same_v<T, char>>> {
    static py::object to(T (&value)[N], py::handle owner) {
        py::tuple elements(N);
        for (std::size_t i = 0; i < N; ++i) elements[i] = Value<T>::to(value[i], owner);
        return elements;
    }
    static void set(T (&place)[N], py::handle value) {
        py::sequence elements = py::reinterpret_borrow<py::sequence>(value);
        if (!PySequence_Check(value.ptr()))
            refuse(PyExc_TypeError, "a sequence is required, not " + type_of(value));
        if (elements.size() > N)
            refuse(PyExc_IndexError, std::to_string(elements.size()) +
                                         " elements: must be up to " + std::to_string(N));
        for (std::size_t i = 0; i < elements.size(); ++i)
            Value<T>::set(place[i], py::object(elements[i]));
    }
};

}  // namespace binding
