// Any bytes: a table, which writes as text that reads back to the same text, or an Error.
#include <cauchy/base/error.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/table.hpp>

#include "fuzz_support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cauchy;
  std::string text;
  try {
    text = to_csv(parse_csv(bytes_of(data, size), "fuzz.csv"));
  } catch (const Error&) {
    return 0;
  }
  try {
    const std::string again = to_csv(parse_csv(text, "again.csv"));
    if (again != text) report("round trip", text, again);
  } catch (const Error& error) {
    report("unreadable", text, error.what());
  }
  return 0;
}
