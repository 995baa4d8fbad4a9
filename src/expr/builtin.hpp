#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <cauchy/expr/expr.hpp>

namespace cauchy::detail {

/// A function that every text may use.
struct Builtin {
  enum class Form { scalar, sqrt, pow, heaviside, d, grad, div, curl, laplacian, dot, norm2 };
  std::string_view name;
  Form form;
  std::size_t arity;           // 0: any number
  Kind kind = Kind::constant;  // of the scalar functions
};

inline constexpr std::array builtins{
    Builtin{"exp", Builtin::Form::scalar, 1, Kind::exp},
    Builtin{"log", Builtin::Form::scalar, 1, Kind::log},
    Builtin{"sin", Builtin::Form::scalar, 1, Kind::sin},
    Builtin{"cos", Builtin::Form::scalar, 1, Kind::cos},
    Builtin{"tan", Builtin::Form::scalar, 1, Kind::tan},
    Builtin{"asin", Builtin::Form::scalar, 1, Kind::asin},
    Builtin{"acos", Builtin::Form::scalar, 1, Kind::acos},
    Builtin{"atan", Builtin::Form::scalar, 1, Kind::atan},
    Builtin{"sinh", Builtin::Form::scalar, 1, Kind::sinh},
    Builtin{"cosh", Builtin::Form::scalar, 1, Kind::cosh},
    Builtin{"tanh", Builtin::Form::scalar, 1, Kind::tanh},
    Builtin{"erf", Builtin::Form::scalar, 1, Kind::erf},
    Builtin{"abs", Builtin::Form::scalar, 1, Kind::abs},
    Builtin{"sign", Builtin::Form::scalar, 1, Kind::sign},
    Builtin{"floor", Builtin::Form::scalar, 1, Kind::floor},
    Builtin{"min", Builtin::Form::scalar, 2, Kind::min},
    Builtin{"max", Builtin::Form::scalar, 2, Kind::max},
    Builtin{"mod", Builtin::Form::scalar, 2, Kind::mod},
    Builtin{"where", Builtin::Form::scalar, 3, Kind::where},
    Builtin{"sqrt", Builtin::Form::sqrt, 1},
    Builtin{"pow", Builtin::Form::pow, 2},
    Builtin{"heaviside", Builtin::Form::heaviside, 1},
    Builtin{"d", Builtin::Form::d, 0},
    Builtin{"grad", Builtin::Form::grad, 1},
    Builtin{"div", Builtin::Form::div, 1},
    Builtin{"curl", Builtin::Form::curl, 1},
    Builtin{"laplacian", Builtin::Form::laplacian, 1},
    Builtin{"dot", Builtin::Form::dot, 2},
    Builtin{"norm2", Builtin::Form::norm2, 1},
};

inline const Builtin* find_builtin(std::string_view name) noexcept {
  for (const Builtin& f : builtins) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

inline bool is_word_operator(std::string_view name) noexcept {
  return name == "and" || name == "or" || name == "not";
}

/// What a name stands for in every text, "the function sin"; empty: it can be declared.
std::string reserved_for(std::string_view name);

/// How a derivative suffix such as `xxt` splits into names of coordinates.
///   count  number of ways, 2 standing for "more than one"
///   index  the orders, when there is exactly one way
struct SuffixReading {
  int count = 0;
  MultiIndex index;
};
SuffixReading read_suffix(std::string_view suffix, const std::vector<std::string>& coordinates);

}  // namespace cauchy::detail
