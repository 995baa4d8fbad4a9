// Any bytes: the parser either throws Error or gives an expression that prints as text which reads
// back as the same node, and that can be differentiated.
#include <cstddef>
#include <cstdint>
#include <string>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/written.hpp>

#include "fuzz_support.hpp"

namespace {

const cauchy::Context& context() {
  static const cauchy::Context all = [] {
    cauchy::Context c;
    c.add_time("t").add_space("x").add_space("y").add_space("z");
    c.add_field("u").add_field("v").add_field("w").add_field("u_x");
    c.add_parameter("nu").add_function("a", 2);
    return c;
  }();
  return all;
}

void check_round_trip(const cauchy::Expr& e) {
  std::string text;
  try {
    text = cauchy::to_string(e, &context());
  } catch (const cauchy::Error&) {
    return;  // larger than 16 MB as text
  }
  if (text.size() > (std::size_t{1} << 20)) return;
  try {
    const cauchy::Expr again = cauchy::parse(text, context());
    if (!same(e, again)) report("round trip", text, cauchy::to_string(again, &context()));
  } catch (const cauchy::Error& error) {
    // Canonical text may need more brackets than were typed; that limit is documented.
    if (error.kind() != cauchy::ErrorKind::unsupported) report("unreadable", text, error.what());
  }
}

/// The text of the written form is read back as the same form.
void check_written(const cauchy::Expr& e) {
  if (e.written() == nullptr) return;
  std::string text;
  try {
    text = cauchy::written_to_string(e, &context());
    if (text.size() > (std::size_t{1} << 20)) return;
    const cauchy::Expr again = cauchy::parse(text, context());
    if (!same_written(e, again)) {
      report("written", text, cauchy::written_to_string(again, &context()));
    }
  } catch (const cauchy::Error& error) {
    if (error.kind() != cauchy::ErrorKind::unsupported) report("unreadable", text, error.what());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(bytes_of(data, size));
  try {
    const cauchy::Equation equation = cauchy::parse_equation(text, context());
    check_round_trip(equation.residual());
  } catch (const cauchy::Error&) {
  }
  try {
    const cauchy::Expr e = cauchy::parse(text, context());
    check_round_trip(e);
    check_written(e);
    check_round_trip(cauchy::d(e, cauchy::Coordinate("x")));
  } catch (const cauchy::Error&) {
  }
  return 0;
}
