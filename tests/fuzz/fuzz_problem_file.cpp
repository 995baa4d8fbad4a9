// Any bytes: a problem, which prints as a file that reads back to the same file, or an Error. Other
// files that it names are looked for in a folder that does not exist.
#include <cauchy/base/error.hpp>
#include <cauchy/files/problem_file.hpp>

#include "fuzz_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cauchy;
  const std::string_view bytes = bytes_of(data, size);
  std::string text;
  try {
    text = to_toml(parse_problem_file(bytes, "fuzz.toml", "/nowhere"));
  } catch (const Error&) {
    return 0;
  }
  try {
    const std::string again = to_toml(parse_problem_file(text, "again.toml", "/nowhere"));
    if (again != text) report("round trip", text, again);
  } catch (const Error& error) {
    report("unreadable", text, error.what());
  }
  return 0;
}
