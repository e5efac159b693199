#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "conflux/core/error.h"
#include "core/nearest_name.h"
#include "option_dict.h"
#include "options/option_table.h"

namespace py = pybind11;

namespace conflux::python {

namespace {

using namespace py::literals;

[[noreturn]] void wrong_type(const OptionInfo& info, py::handle value, std::string_view wanted) {
  throw py::type_error(
      fmt::format("{} is {}; give {}.", info.name, py::repr(value).cast<std::string>(), wanted));
}

// The names of a choice; none of other types.
template <class T>
std::vector<std::string> choices() {
  std::vector<std::string> names;
  if constexpr (std::is_enum_v<T>) {
    for (const auto& [value, name] : EnumNames<T>::kNames) names.emplace_back(name);
  }
  return names;
}

void read(const OptionInfo& info, py::handle value, bool& out) {
  // numpy's truth values are no bool of Python's.
  const std::string type = py::type::of(value).attr("__name__").cast<std::string>();
  if (!py::isinstance<py::bool_>(value) && type != "bool_")
    wrong_type(info, value, "True or False");
  out = py::bool_(py::reinterpret_borrow<py::object>(value));
}

template <std::integral Integer>
void read(const OptionInfo& info, py::handle value, Integer& out) {
  if (py::isinstance<py::bool_>(value) || PyIndex_Check(value.ptr()) == 0) {
    wrong_type(info, value, "a whole number");
  }
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) throw py::error_already_set();
  try {
    out = number.cast<Integer>();
  } catch (const py::cast_error&) {
    throw InvalidOption(fmt::format("{} is {}, which is out of range.", info.name,
                                    py::str(number).cast<std::string>()));
  }
}

void read(const OptionInfo& info, py::handle value, double& out) {
  const bool number = PyFloat_Check(value.ptr()) != 0 || PyIndex_Check(value.ptr()) != 0 ||
                      py::hasattr(value, "__float__");
  if (!number || py::isinstance<py::bool_>(value)) wrong_type(info, value, "a number");
  out = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
}

template <class Enum>
requires(std::is_enum_v<Enum>) void read(const OptionInfo& info, py::handle value, Enum& out) {
  if (!py::isinstance<py::str>(value)) wrong_type(info, value, "one of its names");
  const auto wanted = value.cast<std::string>();
  for (const auto& [each, name] : EnumNames<Enum>::kNames) {
    if (wanted != name) continue;
    out = each;
    return;
  }
  throw InvalidOption(unknown_name(info.name, wanted, choices<Enum>()));
}

// An empty text is one that was left out.
void read(const OptionInfo& info, py::handle value, std::string& out) {
  out.clear();
  if (value.is_none()) return;
  if (!py::isinstance<py::str>(value)) wrong_type(info, value, "a text");
  out = value.cast<std::string>();
}

void read(const OptionInfo& info, py::handle value, GroupWeights& out) {
  if (py::isinstance<py::str>(value)) {
    out = parse_group_weights(value.cast<std::string>());
    return;
  }
  if (!py::isinstance<py::iterable>(value)) {
    wrong_type(info, value, "\"uniform\", \"size\", or a list of numbers");
  }
  std::vector<double> list;
  for (const py::handle each : py::reinterpret_borrow<py::iterable>(value)) {
    read(info, each, list.emplace_back());
  }
  out = GroupWeights(std::move(list));
}

void read(const OptionInfo& info, py::handle value, RowLimit& out) {
  out = RowLimit();
  if (py::isinstance<py::str>(value) && value.cast<std::string>() == "all") return;
  if (py::isinstance<py::str>(value)) wrong_type(info, value, "a whole number, or \"all\"");
  read(info, value, out.rows);
}

template <class T>
void read(const OptionInfo& info, py::handle value, std::optional<T>& out) {
  out.reset();
  if (!value.is_none()) read(info, value, out.emplace());
}

template <class T>
py::object to_python(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return py::str(std::string(name_of(value)));
  } else {
    return py::cast(value);
  }
}

py::object to_python(const std::string& text) {
  return text.empty() ? py::none() : py::object(py::str(text));
}

py::object to_python(const GroupWeights& weights) {
  if (weights.kind != GroupWeights::Kind::kList) return py::str(to_text(weights));
  py::list out;
  for (const double weight : weights.list) out.append(weight);
  return out;
}

py::object to_python(const RowLimit& limit) {
  return limit.all() ? py::object(py::str("all")) : py::object(py::int_(limit.rows));
}

template <class T>
py::object to_python(const std::optional<T>& value) {
  return value ? to_python(*value) : py::none();
}

// The type of an option once it is set, and whether it may be unset.
template <class T>
struct Field {
  using Type = T;
  static constexpr bool kOptional = std::is_same_v<T, std::string>;
};
template <class T>
struct Field<std::optional<T>> {
  using Type = T;
  static constexpr bool kOptional = true;
};

// In words of Python.
template <class T>
const char* type_name() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_integral_v<T>) return "int";
  if constexpr (std::is_floating_point_v<T>) return "float";
  if constexpr (std::is_same_v<T, std::string>) return "text";
  if constexpr (std::is_same_v<T, GroupWeights>) return "weights";
  if constexpr (std::is_same_v<T, RowLimit>) return "rows";
  return "str";
}

// The names of the methods that use an option; the others refuse it.
std::vector<std::string> methods_of(const OptionInfo& info) {
  std::vector<std::string> names;
  for (const MethodInfo& each : kMethods) {
    if ((info.used_by & only(each.id)) != 0) names.emplace_back(each.name);
  }
  return names;
}

py::list describe_options() {
  py::list out;
  const FitOptions defaults;
  visit_options(defaults, [&]<class T>(const OptionInfo& info, const T& value) {
    using Type = typename Field<T>::Type;
    out.append(py::dict("name"_a = info.name, "help"_a = info.help, "unset"_a = info.unset,
                        "min"_a = info.min, "max"_a = info.max, "above_min"_a = info.above_min,
                        "texts"_a = info.texts, "type"_a = type_name<Type>(),
                        "choices"_a = choices<Type>(), "optional"_a = Field<T>::kOptional,
                        "methods"_a = methods_of(info), "default"_a = to_python(value)));
  });
  return out;
}

}  // namespace

FitOptions options_from_dict(const py::dict& values) {
  FitOptions options;
  std::vector<std::string> names;
  visit_options(options, [&](const OptionInfo& info, auto& field) {
    names.emplace_back(info.name);
    const py::str name(names.back());
    if (values.contains(name)) read(info, values[name], field);
  });
  for (const auto& [key, value] : values) {
    const auto name = key.cast<std::string>();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw InvalidOption(unknown_name("option", name, names));
    }
  }
  return options;
}

py::dict options_to_dict(const FitOptions& options) {
  py::dict out;
  visit_options(options, [&](const OptionInfo& info, const auto& value) {
    out[py::str(std::string(info.name))] = to_python(value);
  });
  return out;
}

void bind_options(py::module_& module) {
  module.def("describe_options", &describe_options,
             "Every option of a fit: name, help, type, default, range, methods, in order.");
  module.def(
      "resolve_options",
      [](const py::dict& values, Index dim, const std::vector<std::string>& group_names,
         const std::vector<Index>& group_sizes) {
        return options_to_dict(
            resolve(options_from_dict(values),
                    {.dim = dim, .group_names = group_names, .group_sizes = group_sizes}));
      },
      py::arg("options"), py::arg("dim"), py::arg("group_names"), py::arg("group_sizes"),
      "The options as a fit of such data will use them.");
  module.def(
      "paper_options",
      [](const std::string& method, Index num_groups) {
        const FitOptions options = options_from_dict(py::dict(py::arg("method") = method));
        return options_to_dict(paper_options(options.method, num_groups));
      },
      py::arg("method"), py::arg("num_groups"), "The settings of the published experiments.");
}

}  // namespace conflux::python
