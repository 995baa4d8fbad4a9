#include "files/problem_file_method.hpp"

#include <cauchy/files/problem_file.hpp>

#include "files/option_reader.hpp"

namespace cauchy {
namespace detail {

Method read_method(const TomlNode& node) {
  Method method;
  read_options(node, "[method]", method);
  return method;
}

}  // namespace detail

std::string method_text(const Method& method) {
  return "[method]\n" + option_text("method", method);
}

}  // namespace cauchy
