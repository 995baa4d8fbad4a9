#pragma once

#include <concepts>
#include <string>
#include <utility>

#include <cauchy/base/error.hpp>

namespace cauchy {

/// The text of the Error that a call throws; "no error" when it returns.
template <std::invocable Call>
std::string message_of(Call&& call) {
  try {
    static_cast<void>(std::forward<Call>(call)());
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace cauchy
