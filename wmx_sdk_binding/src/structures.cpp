// Classes of values: commands, statuses, parameters and what events are made of.
#include "classes.hpp"

namespace binding {
namespace {

template <class T>
struct Tag {
    using type = T;
};

template <class Find, class Fill>
void add_structure(py::module_& module, const char* name, Find, Fill fill) {
    if constexpr (std::is_invocable_v<Find, World>) {
        using T = typename std::invoke_result_t<Find, World>::type;
        if constexpr (IsThere<T>::value) {
            if constexpr (std::is_base_of_v<World::EventInput, T>) {
                auto made = structure<T, World::EventInput>(module, name);
                fill(made);
            } else if constexpr (std::is_base_of_v<World::EventOutput, T>) {
                auto made = structure<T, World::EventOutput>(module, name);
                fill(made);
            } else {
                auto made = structure<T>(module, name);
                fill(made);
            }
            return;
        }
    }
    left_out().insert(name);
}

template <class T>
void add_base(py::module_& module, const char* name) {
    if constexpr (IsThere<T>::value)
        py::class_<T, std::unique_ptr<T, py::nodelete>>(module, name, py::module_local());
}

/// Numbers in an array of plain characters, which by itself is taken for a text.
template <class T, class F>
void add_small_numbers(py::module_& module, const char* cls, const std::string& array, F member) {
    if constexpr (std::is_invocable_v<F, T&>) {
        constexpr std::size_t N = std::extent_v<std::remove_reference_t<std::invoke_result_t<F, T&>>>;
        add_function(module.attr(cls), ("Get" + array).c_str(),
                     {1,
                      [member](py::handle self, Given given) -> py::object {
                          return Value<char>::to(member(self.cast<T&>())[index_of<N>(given[0])]);
                      }},
                     false);
        add_function(module.attr(cls), ("Set" + array).c_str(),
                     {2,
                      [member](py::handle self, Given given) -> py::object {
                          Value<char>::set(member(self.cast<T&>())[index_of<N>(given[0])], given[1]);
                          return py::none();
                      }},
                     false);
    } else {
        left_out().insert(std::string(cls) + ".Set" + array);
    }
}

}  // namespace

#define ENUM(python, cpp)
#define MEMBER(python, name)
#define END_ENUM
#define CLASS(kind, python, cpp)                                                                   \
    add_structure(                                                                                 \
        module, python, [](auto world) -> Tag<kind decltype(world)::cpp> { return {}; },           \
        [](auto& made) {
#define STRUCT(python, cpp) CLASS(typename, python, cpp)
// In a union, where GCC 16 finds nothing by `typename`.
#define ARGUMENTS(python, cpp) CLASS(struct, python, cpp)
#define FIELD(python, member) made.field(python, WMX_FIELD(member));
#define END_STRUCT });
#define SAME(member) FIELD(#member, member)

void add_structures(py::module_& module) {
    add_base<World::EventInput>(module, "EventInput");
    add_base<World::EventOutput>(module, "EventOutput");
#include "names.inc"
#include "more_structures.inc"
    add_small_numbers<World::Config::AxisParam>(module, "Config_AxisParam", "AxisPolarity",
                                                WMX_FIELD(axisPolarity));
    using Jog = World::Motion::JogCommand;
    Class<Jog>(module.attr("Motion_JogCommand"), "Motion_JogCommand")
        .def<double>("SetRunTime", WMX_CALL(SetRunTime));
}

}  // namespace binding
