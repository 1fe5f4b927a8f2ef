// The module, and what all its classes have in common that needs no template.
#include "classes.hpp"

namespace binding {

std::set<std::string>& left_out() {
    static std::set<std::string> names;
    return names;
}

void add_property(py::object cls, const char* name, Getter get, Setter set) {
    py::cpp_function getter(std::move(get), py::is_method(cls));
    py::cpp_function setter(std::move(set), py::is_method(cls));
    auto property = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(&PyProperty_Type));
    cls.attr(name) = property(getter, setter);
}

namespace {

/// The functions of one name.
struct Overloads {
    std::string name;
    std::vector<Overload> all;

    py::object call(py::handle self, py::args args) const {
        std::vector<py::object> given;
        for (py::handle each : args) given.push_back(py::reinterpret_borrow<py::object>(each));
        for (const Overload& each : all)
            if (each.takes == given.size()) return each.call(self, given);
        std::string counts;
        for (const Overload& each : all)
            counts += (counts.empty() ? "" : " or ") + std::to_string(each.takes);
        refuse(PyExc_TypeError, name + " takes " + counts + " arguments, not " +
                                    std::to_string(given.size()));
    }
};

std::map<std::pair<PyObject*, std::string>, std::shared_ptr<Overloads>>& functions() {
    static std::map<std::pair<PyObject*, std::string>, std::shared_ptr<Overloads>> all;
    return all;
}

}  // namespace

void add_function(py::object cls, const char* name, Overload overload, bool is_static) {
    std::shared_ptr<Overloads>& known = functions()[{cls.ptr(), name}];
    if (known != nullptr) {
        for (const Overload& each : known->all)
            if (each.takes == overload.takes) return;
        known->all.push_back(std::move(overload));
        return;
    }
    known = std::make_shared<Overloads>(Overloads{name, {std::move(overload)}});
    std::shared_ptr<Overloads> all = known;
    if (is_static) {
        py::cpp_function function([all](py::args args) { return all->call({}, args); },
                                  py::name(all->name.c_str()));
        cls.attr(name) = py::reinterpret_steal<py::object>(PyStaticMethod_New(function.ptr()));
    } else {
        cls.attr(name) = py::cpp_function(
            [all](py::handle self, py::args args) { return all->call(self, args); },
            py::name(all->name.c_str()), py::is_method(cls));
    }
}

}  // namespace binding

/// A SDK in Python, as the vendor's own modules have it.
PYBIND11_MODULE(wmx_sdk_binding, module) {
    namespace py = pybind11;
    module.doc() = "The WMX SDK in Python, bound to the headers that it was compiled with.";
    binding::add_names(module);
    binding::add_structures(module);
    binding::add_parts(module);
    py::list left_out;
    for (const std::string& name : binding::left_out()) left_out.append(name);
    module.attr("left_out") = py::tuple(left_out);
    module.attr("__version__") = WMX_VERSION;
    module.attr("sdk") = WMX_SDK;
    // The vendor's binding has its functions below its classes, with the classes' names.
    module.attr("_WMX3ApiPython") = py::module_::import("types").attr("SimpleNamespace")(
        py::arg("Config_ImportAndSetAll") = module.attr("Config").attr("ImportAndSetAll"));
}
