// Enums, classes of error numbers, and constants: what the headers of this release have of them.
#include "classes.hpp"

#define WMX_CONSTANTS(X)                                                                           \
    X(maxAxes) X(maxIoInSize) X(maxIoOutSize) X(maxIOInSize) X(maxIOOutSize) X(maxInterrupts)      \
    X(maxDevices) X(maxDeviceName)                                                                 \
    X(maxEventInterpolationAxes) X(maxSplineDimensions) X(maxSplineChannel) X(maxUserMemoryBytes)  \
    X(maxUserMemoryReadWriteBytes) X(maxEvents) X(maxTouchprobeChannel) X(maxPsoChannel)           \
    X(maxPsoData)
#define WMX_CONSTANTS_OF_ETHERCAT(X) X(maxMasters) X(maxSlaves) X(maxSlaveAxes)

// A constant that the SDK's namespace lacks is found here.
#define WMX_NO_CONSTANT(name) static const int name [[maybe_unused]] = -1;
WMX_CONSTANTS(WMX_NO_CONSTANT) WMX_CONSTANTS_OF_ETHERCAT(WMX_NO_CONSTANT)

#define WMX_CONSTANT(name) {#name, static_cast<long long>(name)},
namespace wmx3Api {
namespace constants {
namespace of_binding {
const std::map<std::string, long long> found = {WMX_CONSTANTS(WMX_CONSTANT)};
}
}  // namespace constants
namespace ecApi {
namespace constants {
namespace of_binding {
const std::map<std::string, long long> found = {WMX_CONSTANTS_OF_ETHERCAT(WMX_CONSTANT)};
}
}  // namespace constants
}  // namespace ecApi
}  // namespace wmx3Api

namespace binding {
namespace {

template <class T>
struct Tag {
    using type = T;
};

/// A class of numbers, as the SDK's modules have them.
class Numbers {
   public:
    Numbers(py::module_& module, const char* name) : name_(name) {
        py::object type = py::reinterpret_borrow<py::object>(
            reinterpret_cast<PyObject*>(&PyType_Type));
        py::tuple bases;
        // Those of the parts have the general ones, too.
        if (py::hasattr(module, "ErrorCode") && name_.find("ErrorCode") != std::string::npos)
            bases = py::make_tuple(module.attr("ErrorCode"));
        cls_ = type(name, bases, py::dict());
        cls_.attr("__module__") = module.attr("__name__");
        module.attr(name) = cls_;
    }

    void add(const char* name, long long number) { cls_.attr(name) = py::int_(number); }
    void lacks(const char* name) { left_out().insert(name_ + "." + name); }

   private:
    std::string name_;
    py::object cls_;
};

template <class T>
struct Members {
    Numbers& numbers;

    template <class F>
    void member(const char* name, F number) {
        if constexpr (std::is_invocable_v<F, Tag<T>>)
            numbers.add(name, number(Tag<T>()));
        else
            numbers.lacks(name);
    }
};

template <class Find, class Fill>
void add_enum(py::module_& module, const char* name, Find, Fill fill) {
    if constexpr (std::is_invocable_v<Find, World>) {
        using T = typename std::invoke_result_t<Find, World>::type;
        if constexpr (IsThere<T>::value) {
            Numbers numbers(module, name);
            Members<T> members{numbers};
            fill(members);
            return;
        }
    }
    left_out().insert(name);
}

}  // namespace

#define ENUM(python, cpp)                                                                          \
    add_enum(                                                                                      \
        module, python,                                                                            \
        [](auto world) -> Tag<typename decltype(world)::cpp> { return {}; }, [](auto& members) {
#define MEMBER(python, name)                                                                       \
    members.member(python, [](auto tag) -> decltype(static_cast<long long>(                        \
                                            decltype(tag)::type::name)) {                          \
        return static_cast<long long>(decltype(tag)::type::name);                                  \
    });
#define END_ENUM });
#define STRUCT(python, cpp)
#define ARGUMENTS(python, cpp)
#define FIELD(python, member)
#define END_STRUCT

void add_names(py::module_& module) {
#include "names.inc"
    py::object constants = py::module_::import("types").attr("SimpleNamespace")();
    for (const auto* found :
         {&wmx3Api::constants::of_binding::found, &wmx3Api::ecApi::constants::of_binding::found})
        for (const auto& [name, number] : *found) {
            if (number >= 0)
                constants.attr(name.c_str()) = py::int_(number);
            else
                left_out().insert("constants." + name);
        }
    module.attr("constants") = constants;
}

}  // namespace binding
