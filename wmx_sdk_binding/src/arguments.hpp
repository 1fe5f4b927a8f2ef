// What a function of the SDK takes: how many arguments of Python each becomes how many of C++.
//
// Every kind has `taken`, the number of Python's arguments; `load`, which reads them; `pass`, the
// arguments of C++ as a tuple; and `results`, which adds what the function wrote.
#pragma once

#include <memory>
#include <tuple>

#include "values.hpp"

namespace binding {

using Given = const std::vector<py::object>&;
constexpr long long MOST_BYTES = 1 << 24;

inline std::size_t count_of(py::handle count, std::size_t there) {
    long long number = whole_within(count, 0, MOST_BYTES);
    if (number > static_cast<long long>(there))
        refuse(PyExc_ValueError,
               "a count of " + std::to_string(number) + " for " + std::to_string(there));
    return static_cast<std::size_t>(number);
}

template <class T>
std::vector<T> numbers(py::handle list) {
    if (!PySequence_Check(list.ptr()) || PyUnicode_Check(list.ptr()))
        refuse(PyExc_TypeError, "a sequence is required, not " + type_of(list));
    py::sequence elements = py::reinterpret_borrow<py::sequence>(list);
    std::vector<T> found;
    found.reserve(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i)
        found.push_back(Value<T>::from(py::object(elements[i])));
    return found;
}

/// A class that the headers lack: nothing can be called with it.
struct Absent {};

/// A number.
template <class T>
struct Argument {
    static constexpr std::size_t taken = 1;
    T value{};
    void load(Given given, std::size_t at) { value = Value<T>::from(given[at]); }
    std::tuple<T> pass() { return {value}; }
    void results(py::list&) {}
};

/// An object of the SDK.
template <class T>
struct Argument<T*> {
    static constexpr std::size_t taken = 1;
    T* value = nullptr;
    void load(Given given, std::size_t at) { value = &Value<T>::from(given[at]); }
    std::tuple<T*> pass() { return {value}; }
    void results(py::list&) {}
};

/// A text; functions of older releases take it as changeable.
struct Text {};
template <>
struct Argument<Text> {
    static constexpr std::size_t taken = 1;
    std::string value;
    void load(Given given, std::size_t at) {
        if (!PyUnicode_Check(given[at].ptr()))
            refuse(PyExc_TypeError, "a text is required, not " + type_of(given[at]));
        value = given[at].cast<std::string>();
        if (value.find('\0') != std::string::npos)
            refuse(PyExc_ValueError, "a text with a zero in it");
    }
    std::tuple<char*> pass() { return {value.data()}; }
    void results(py::list&) {}
};

/// A number that the function writes.
template <class T>
struct Out {};
template <class T>
struct Argument<Out<T>> {
    static constexpr std::size_t taken = 0;
    T value{};
    void load(Given, std::size_t) {}
    std::tuple<T*> pass() { return {&value}; }
    void results(py::list& all) { all.append(Value<T>::to(value, {})); }
};

/// An object that the function writes; they are too large for the stack.
template <class T>
struct Made {};
template <class T>
struct Argument<Made<T>> {
    static constexpr std::size_t taken = 0;
    std::unique_ptr<T> value = std::make_unique<T>();
    void load(Given, std::size_t) {}
    std::tuple<T*> pass() { return {value.get()}; }
    void results(py::list& all) {
        all.append(py::cast(value.release(), py::return_value_policy::take_ownership));
    }
};

/// A count and a list of so many numbers or objects.
template <class Count, class T>
struct Counted {};
template <class Count, class T>
struct Argument<Counted<Count, T>> {
    static constexpr std::size_t taken = 2;
    Count count{};
    std::vector<T> list;
    void load(Given given, std::size_t at) {
        list = numbers<T>(given[at + 1]);
        count = static_cast<Count>(count_of(given[at], list.size()));
    }
    std::tuple<Count, T*> pass() { return {count, list.data()}; }
    void results(py::list&) {}
};

/// A count, and so many points with their times, ms: a number of any kind, or whole ones.
template <class Point, class Time>
struct Timed {};
template <class Point, class Time>
struct Argument<Timed<Point, Time>> {
    static constexpr std::size_t taken = 3;
    unsigned count = 0;
    std::vector<Point> points;
    std::vector<Time> times;
    void load(Given given, std::size_t at) {
        points = numbers<Point>(given[at + 1]);
        for (double time : numbers<double>(given[at + 2])) times.push_back(in_ms(time));
        count = static_cast<unsigned>(count_of(given[at], std::min(points.size(), times.size())));
    }
    static Time in_ms(double time) {
        if constexpr (std::is_floating_point_v<Time>) {
            return static_cast<Time>(time);
        } else {
            // Rounded, a spline would have other velocities than were asked for.
            double nearest = std::round(time);
            if (!(std::fabs(time - nearest) <= 1e-6) || nearest < 0.0 ||
                nearest > std::numeric_limits<Time>::max())
                refuse(PyExc_ValueError, "this release of the SDK takes times in whole "
                                         "milliseconds, not " + std::to_string(time));
            return static_cast<Time>(nearest);
        }
    }
    std::tuple<unsigned, Point*, Time*> pass() { return {count, points.data(), times.data()}; }
    void results(py::list&) {}
};

/// A size and so many bytes that the function reads.
template <class Size>
struct BytesIn {};
template <class Size>
struct Argument<BytesIn<Size>> {
    static constexpr std::size_t taken = 2;
    Size size{};
    std::vector<unsigned char> bytes;
    void load(Given given, std::size_t at) {
        bytes = numbers<unsigned char>(given[at + 1]);
        size = static_cast<Size>(count_of(given[at], bytes.size()));
    }
    std::tuple<Size, unsigned char*> pass() { return {size, bytes.data()}; }
    void results(py::list&) {}
};

/// A size of a block of bytes that the function writes: a list of them.
template <class Size>
struct BytesOut {};
template <class Size>
struct Argument<BytesOut<Size>> {
    static constexpr std::size_t taken = 1;
    std::vector<unsigned char> bytes;
    void load(Given given, std::size_t at) {
        bytes.resize(static_cast<std::size_t>(whole_within(given[at], 0, MOST_BYTES)));
    }
    std::tuple<Size, unsigned char*> pass() {
        return {static_cast<Size>(bytes.size()), bytes.data()};
    }
    void results(py::list& all) {
        py::list found;
        for (unsigned char byte : bytes) found.append(py::int_(byte));
        all.append(found);
    }
};

/// Addresses, bits, values, and how many of them.
template <class Number>
struct Bits {};
template <class Number>
struct Argument<Bits<Number>> {
    static constexpr std::size_t taken = 4;
    std::vector<Number> addresses, bits;
    std::vector<unsigned char> values;
    Number count{};
    void load(Given given, std::size_t at) {
        addresses = numbers<Number>(given[at]);
        bits = numbers<Number>(given[at + 1]);
        values = numbers<unsigned char>(given[at + 2]);
        std::size_t there = std::min({addresses.size(), bits.size(), values.size()});
        count = static_cast<Number>(count_of(given[at + 3], there));
    }
    std::tuple<Number*, Number*, unsigned char*, Number> pass() {
        return {addresses.data(), bits.data(), values.data(), count};
    }
    void results(py::list&) {}
};

}  // namespace binding
