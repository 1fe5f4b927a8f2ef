// Classes of the SDK in Python: their members and functions, by tables.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "arguments.hpp"
#include "world.hpp"

namespace binding {

/// The names of the table that these headers lack.
std::set<std::string>& left_out();

/// Ends what a pointer leads to without the interpreter's lock, which a device takes seconds for.
template <class T>
struct Release {
    void operator()(T* object) const {
        py::gil_scoped_release released;
        delete object;
    }
};

using Getter = std::function<py::object(py::handle)>;
using Setter = std::function<void(py::handle, py::handle)>;
void add_property(py::object cls, const char* name, Getter get, Setter set);

/// A function with a number of Python's arguments.
struct Overload {
    std::size_t takes;
    std::function<py::object(py::handle, Given)> call;
};
void add_function(py::object cls, const char* name, Overload overload, bool is_static);

inline std::string with_capital(std::string name) {
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return name;
}

template <class F, class T, class Tuple>
struct IsCallable;
template <class F, class T, class... C>
struct IsCallable<F, T, std::tuple<C...>> : std::is_invocable<F, T, C...> {};

/// The arguments of C++ that those of a table become.
template <class... A>
using Passed = decltype(std::tuple_cat(std::declval<Argument<A>&>().pass()...));

template <class... A>
struct IsOffered : std::bool_constant<(!std::is_same_v<A, Absent> && ...)> {};

/// Calls with the interpreter's lock released; answers the code, or a tuple that begins with it.
template <class F, class T, class... A, std::size_t... I>
py::object called(F& function, T& self, Given given, std::index_sequence<I...>) {
    std::tuple<Argument<A>...> arguments;
    std::size_t at = 0;
    [[maybe_unused]] auto load = [&](auto& argument) {
        argument.load(given, at);
        at += std::decay_t<decltype(argument)>::taken;
    };
    (load(std::get<I>(arguments)), ...);
    auto passed = std::tuple_cat(std::get<I>(arguments).pass()...);
    auto call = [&](auto&... each) { return function(self, each...); };
    using Answer = std::decay_t<decltype(std::apply(call, passed))>;
    py::list all;
    if constexpr (std::is_void_v<Answer>) {
        py::gil_scoped_release released;
        std::apply(call, passed);
    } else {
        Answer answer{};
        {
            py::gil_scoped_release released;
            answer = std::apply(call, passed);
        }
        all.append(Value<Answer>::to(answer, {}));
    }
    (std::get<I>(arguments).results(all), ...);
    if (all.empty()) return py::none();
    return all.size() == 1 ? py::object(all[0]) : py::object(py::tuple(all));
}

template <class T>
class Class {
   public:
    Class(py::object made, const char* name) : cls(std::move(made)), name_(name) {}

    /// A member, by what returns a reference to it.
    template <class F>
    Class& field(const char* name, F member) {
        if constexpr (std::is_invocable_v<F, T&>) {
            using M = std::remove_reference_t<std::invoke_result_t<F, T&>>;
            if (py::hasattr(cls, name)) return *this;
            add_property(
                cls, name,
                [member](py::handle self) { return Value<M>::to(member(self.cast<T&>()), self); },
                [member](py::handle self, py::handle value) {
                    Value<M>::set(member(self.cast<T&>()), value);
                });
            if constexpr (std::is_array_v<M> && !std::is_same_v<M, char[std::extent_v<M>]>)
                elements<std::remove_extent_t<M>, std::extent_v<M>>(name, member);
        } else {
            lacks(name);
        }
        return *this;
    }

    /// A function, by what calls it with the arguments of C++ that `A` become; the first that the
    /// headers have of those with the same name and number of arguments is taken.
    template <class... A, class F>
    Class& def(const char* name, F function) {
        if constexpr (IsOffered<A...>::value) {
            if constexpr (IsCallable<F, T&, Passed<A...>>::value) {
                auto call = [function](py::handle self, Given given) mutable {
                    return called<F, T, A...>(function, self.cast<T&>(), given,
                                              std::index_sequence_for<A...>());
                };
                add_function(cls, name, {(Argument<A>::taken + ... + 0), call}, false);
                left_out().erase(full(name));
                return *this;
            }
        }
        if (!py::hasattr(cls, name)) lacks(name);
        return *this;
    }

    /// A text of an error, and the version of the library.
    Class& statics() {
        texts([](auto tag, int code, char* text, unsigned size)
                  -> decltype(decltype(tag)::type::ErrorToString(code, text, size)) {
            return decltype(tag)::type::ErrorToString(code, text, size);
        });
        version([](auto tag, auto*... numbers)
                    -> decltype(decltype(tag)::type::GetLibVersion(numbers...)) {
            return decltype(tag)::type::GetLibVersion(numbers...);
        });
        return *this;
    }

    void lacks(const char* name) { left_out().insert(full(name)); }

    py::object cls;

   private:
    std::string full(const char* name) const { return name_ + "." + name; }

    template <class E, std::size_t N, class F>
    void elements(const char* name, F member) {
        std::string array = with_capital(name);
        add_function(cls, ("Get" + array).c_str(),
                     {1,
                      [member](py::handle self, Given given) -> py::object {
                          return Value<E>::to(member(self.cast<T&>())[index_of<N>(given[0])], self);
                      }},
                     false);
        add_function(cls, ("Set" + array).c_str(),
                     {2,
                      [member](py::handle self, Given given) -> py::object {
                          Value<E>::set(member(self.cast<T&>())[index_of<N>(given[0])], given[1]);
                          return py::none();
                      }},
                     false);
    }

    struct Tag {
        using type = T;
    };

    template <class F>
    void texts(F function) {
        if constexpr (std::is_invocable_v<F, Tag, int, char*, unsigned>)
            add_function(cls, "ErrorToString",
                         {1,
                          [function](py::handle, Given given) -> py::object {
                              char text[512] = {};
                              int code = Value<int>::from(given[0]);
                              function(Tag(), code, text, sizeof text);
                              return Value<char[512]>::to(text, {});
                          }},
                         true);
        else
            lacks("ErrorToString");
    }

    template <class F>
    void version(F function) {
        if constexpr (std::is_invocable_v<F, Tag, int*, int*, int*, int*>)
            add_function(cls, "GetLibVersion",
                         {0,
                          [function](py::handle, Given) -> py::object {
                              int n[4] = {};
                              auto code = function(Tag(), &n[0], &n[1], &n[2], &n[3]);
                              return py::make_tuple(static_cast<int>(code), n[0], n[1], n[2], n[3]);
                          }},
                         true);
        else
            lacks("GetLibVersion");
    }

    std::string name_;
};

/// The class of Python of a class of the SDK.
template <class T, class... Bases>
using Bound = py::class_<T, Bases..., std::unique_ptr<T, Release<T>>>;

/// A class of values: programs make, copy and fill its objects.
template <class T, class... Bases>
Class<T> structure(py::module_& module, const char* name) {
    Bound<T, Bases...> bound(module, name, py::module_local());
    bound.def(py::init<>());
    Class<T> made(bound, name);
    add_function(made.cls, "SetData",
                 {1,
                  [](py::handle self, Given given) -> py::object {
                      self.cast<T&>() = Value<T>::from(given[0]);
                      return py::none();
                  }},
                 false);
    add_function(made.cls, "GetData",
                 {1,
                  [](py::handle self, Given given) -> py::object {
                      Value<T>::from(given[0]) = self.cast<T&>();
                      return py::none();
                  }},
                 false);
    return made;
}

void add_names(py::module_& module);
void add_structures(py::module_& module);
void add_parts(py::module_& module);

}  // namespace binding

/// What calls a function of the SDK, where there is one that takes these arguments.
#define WMX_CALL(function)                                                                         \
    [](auto& self, auto... args) -> decltype(self.function(args...)) {                             \
        return self.function(args...);                                                             \
    }
/// What returns a member.
#define WMX_FIELD(member) [](auto& self) -> decltype((self.member)) { return (self.member); }
