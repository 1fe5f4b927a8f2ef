// The members of all classes of values, by the list of the vendor's names.
#include <map>

#include "simulated.hpp"
#include "world.hpp"

namespace stand_in {
namespace {

using binding::IsThere;
using binding::World;

template <class T>
struct Tag {
    using type = T;
};

std::string array_of(const char* name) {
    std::string array = name;
    array[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(array[0])));
    return array;
}

template <class M>
void give_member(const M& member, const char* name, py::object& object) {
    if constexpr (std::is_array_v<M>) {
        using E = std::remove_extent_t<M>;
        if constexpr (std::is_arithmetic_v<E> && !std::is_same_v<E, char>) {
            std::size_t used = std::extent_v<M>;
            while (used > 0 && member[used - 1] == E{}) --used;  // the rest is 0 there, too
            py::object put = object.attr(("Set" + array_of(name)).c_str());
            for (std::size_t i = 0; i < used; ++i) put(i, given(member[i]));
        }
    } else {
        object.attr(name) = given(member);
    }
}

template <class M>
void take_member(M& member, const char* name, const py::dict& values) {
    if constexpr (std::is_array_v<M>) {
        using E = std::remove_extent_t<M>;
        if constexpr (std::is_same_v<E, char>) {
            if (!values.contains(name)) return;
            std::string text = py::cast<std::string>(values[name]);
            std::strncpy(member, text.c_str(), std::extent_v<M> - 1);
        } else {
            py::dict elements = values["elements"];
            std::string array = array_of(name);
            for (auto [key, value] : elements) {
                py::tuple at = py::reinterpret_borrow<py::tuple>(key);
                if (py::cast<std::string>(at[0]) != array) continue;
                auto index = py::cast<std::size_t>(at[1]);
                if (index < std::extent_v<M>) take(member[index], value);
            }
        }
    } else if (values.contains(name)) {
        take(member, values[name]);
    }
}

template <class T>
struct Giving {
    const T& from;
    py::object& to;
    template <class F>
    void field(const char* name, F member) {
        if constexpr (std::is_invocable_v<F, const T&>) give_member(member(from), name, to);
    }
};

template <class T>
struct Taking {
    T& to;
    const py::dict& from;
    template <class F>
    void field(const char* name, F member) {
        if constexpr (std::is_invocable_v<F, T&>) take_member(member(to), name, from);
    }
};


template <class Find, class Each>
void add(std::map<std::type_index, Shape>& all, const char* name, Find, Each each) {
    if constexpr (std::is_invocable_v<Find, World>) {
        using T = typename std::invoke_result_t<Find, World>::type;
        if constexpr (IsThere<T>::value) {
            all[typeid(T)] = {
                name,
                [each](const void* from, py::object& to) {
                    Giving<T> giving{*static_cast<const T*>(from), to};
                    each(giving);
#if SDK_EDITION >= 2
                    if constexpr (std::is_same_v<T, wmx3Api::Motion::JogCommand>)
                        if (giving.from.runTime > 0.0) to.attr("SetRunTime")(giving.from.runTime);
#endif
                },
                [each](void* to, const py::dict& from) {
                    Taking<T> taking{*static_cast<T*>(to), from};
                    each(taking);
                    if constexpr (std::is_same_v<T, wmx3Api::CoreMotionStatus>) {
                        if (!from.contains("axes")) return;  // with an error there are none
                        // The simulated one has the axes of its machine; all others are offline.
                        py::list axes = from["axes"];
                        for (std::size_t i = 0; i < wmx3Api::constants::maxAxes; ++i)
                            if (i < axes.size())
                                take(taking.to.axesStatus[i], axes[i]);
                            else
                                taking.to.axesStatus[i].servoOffline = true;
                    }
                }};
        }
    }
}

#define ENUM(python, cpp)
#define MEMBER(python, name)
#define END_ENUM
#define CLASS(kind, python, cpp)                                                                   \
    add(                                                                                           \
        all, python, [](auto world) -> Tag<kind decltype(world)::cpp> { return {}; },              \
        [](auto& visitor) {
#define STRUCT(python, cpp) CLASS(typename, python, cpp)
#define ARGUMENTS(python, cpp) CLASS(struct, python, cpp)  // see structures.cpp of the binding
#define FIELD(python, member)                                                                      \
    visitor.field(python, [](auto& self) -> decltype((self.member)) { return (self.member); });
#define SAME(member) FIELD(#member, member)
#define END_STRUCT });

std::map<std::type_index, Shape> all_shapes() {
    std::map<std::type_index, Shape> all;
#include "names.inc"
STRUCT("EventControl_PSOStatus", EventControl::PSOStatus)
SAME(enabled)
END_STRUCT
STRUCT("EventOption", EventOption)
SAME(singleShot) SAME(disableAfterActivate) SAME(enable)
END_STRUCT
STRUCT("Sync_SyncOptions", Sync::SyncOptions)
SAME(useMasterFeedback)
END_STRUCT
    return all;
}

}  // namespace

static const std::map<std::type_index, Shape>& shapes() {
    static const std::map<std::type_index, Shape> all = all_shapes();
    return all;
}

const Shape& shape_of(std::type_index type) { return shapes().at(type); }
bool has_shape(std::type_index type) { return shapes().count(type) > 0; }

py::object& simulated() {
    static py::object* module = new py::object();
    return *module;
}

}  // namespace stand_in

/// Devices that are made from now on belong to `module`.
extern "C" __attribute__((visibility("default"))) void stand_in_connect(PyObject* module) {
    stand_in::simulated() = pybind11::reinterpret_borrow<pybind11::object>(module);
}
