#pragma once

#include <ostream>

#include <nlohmann/json.hpp>

namespace cauchy::cli {

/// Keys stay in the order in which they are written. Numbers that are not finite become null.
using Json = nlohmann::ordered_json;

/// One object, indented, bytes that are no UTF-8 replaced.
inline void print_json(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace cauchy::cli
