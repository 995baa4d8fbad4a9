#include "solvers/time/time_schemes.hpp"

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>

namespace cauchy {
namespace detail {
namespace {

const std::vector<SchemeEntry>& scheme_entries() {
  static const std::vector<SchemeEntry> all = {
      {{"auto", "explicit where waves travel, implicit where something spreads",
        TimeScheme::automatic},
       make_esdirk},
      {{"explicit-euler", "order 1, explicit", TimeScheme::explicit_euler}, make_explicit_euler},
      {{"rk4", "classical Runge-Kutta scheme of order 4, explicit", TimeScheme::rk4}, make_rk4},
      {{"dormand-prince", "orders 5 and 4, explicit", TimeScheme::dormand_prince},
       make_dormand_prince},
      {{"theta", "order 2 with theta = 0.5 (Crank-Nicolson), else 1", TimeScheme::theta},
       make_theta},
      {{"bdf2", "order 2, implicit, damps fast modes", TimeScheme::bdf2}, make_bdf2},
      {{"bdf", "orders 1 to 5, implicit, for dissipative problems", TimeScheme::bdf}, make_bdf},
      {{"esdirk", "orders 4 and 3, implicit, damps fast modes", TimeScheme::esdirk}, make_esdirk},
      {{"imex", "orders 4 and 3, highest linear derivatives implicit, the rest explicit",
        TimeScheme::imex},
       make_imex},
  };
  return all;
}

}  // namespace

const SchemeEntry& scheme_of(TimeScheme scheme) {
  for (const SchemeEntry& e : scheme_entries()) {
    if (e.word.scheme == scheme) return e;
  }
  throw Error("unknown scheme of time", "[solvers.time]");
}

}  // namespace detail

const std::vector<TimeSchemeEntry>& all_time_schemes() {
  static const std::vector<TimeSchemeEntry> all = [] {
    std::vector<TimeSchemeEntry> words;
    for (const auto& e : detail::scheme_entries()) words.push_back(e.word);
    return words;
  }();
  return all;
}

std::string_view name_of(TimeScheme scheme) { return detail::scheme_of(scheme).word.name; }

void visit_options(TimeOptions& o, OptionVisitor& v) {
  Words<TimeScheme> words;
  for (const TimeSchemeEntry& e : all_time_schemes()) words.emplace_back(e.name, e.scheme);
  v.word("scheme", o.scheme, words, "scheme of time");
  v.number("step", o.step, NumberRange::not_negative);
  v.number("tolerance", o.tolerance, NumberRange::below_one);
  v.number("theta", o.theta, NumberRange::not_negative);
  v.check([&] {
    if (o.theta > 1) throw Error("theta must be at most 1", "[solvers.time]");
    if (o.theta != 0.5 && o.scheme != TimeScheme::theta) {
      throw Error("theta has no meaning for this scheme", "[solvers.time]",
                  "set scheme = \"theta\", or leave it out");
    }
    if (o.step > 0 && o.scheme == TimeScheme::bdf) {
      throw Error("bdf chooses its steps", "[solvers.time]", "use bdf2 with a fixed step");
    }
    if (o.step > 0 && o.tolerance > 0) {
      throw Error("a fixed step has no tolerance", "[solvers.time]", "leave one of them out");
    }
  });
}

}  // namespace cauchy
