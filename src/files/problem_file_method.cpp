#include "files/problem_file_method.hpp"

#include "files/option_reader.hpp"

namespace cauchy::detail {

Method read_method(const TomlNode& node) {
  Method method;
  read_options(node, "[method]", method);
  return method;
}

std::string write_method(const Method& method) {
  return "\n[method]\n" + option_text("method", method);
}

}  // namespace cauchy::detail
