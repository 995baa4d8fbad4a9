#include "solvers/pinn/pinn_sequence.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>

namespace cauchy::detail {
namespace {

constexpr const char* sequence_place = "[method.network] sequential";

/// Equations, and conditions on the boundary at points that are drawn.
bool holds_for_tokens(const PinnTerm& term) {
  if (term.groups || !term.redrawn) return false;
  return term.kind == PointSource::Kind::equation || term.kind == PointSource::Kind::condition;
}

void add_tokens_to(PinnTerm& term, const Sequence& sequence) {
  const std::vector<Expr> residuals = term.term.residuals;
  const std::vector<std::pair<std::string, double>> parts = term.parts;
  if (!atoms(residuals, Kind::call).empty()) {
    throw Error(ErrorKind::unsupported,
                fmt::format("'{}' has a table, which is known at the points alone", term.term.name),
                sequence_place, "leave it out, or write the table as a formula");
  }
  for (std::size_t j = 1; j < sequence.size(); ++j) {
    for (const Expr& r : residuals) term.term.residuals.push_back(sequence.at(r, j));
    term.parts.insert(term.parts.end(), parts.begin(), parts.end());
  }
  term.term.weight /= static_cast<double>(sequence.size());
}

}  // namespace

std::string Sequence::field(const std::string& name, std::size_t token) {
  return fmt::format("{}#t{}", name, token);
}

Expr Sequence::at(const Expr& e, std::size_t token) const {
  const Expr roots[] = {e};
  const Coordinate time(time_);
  std::vector<Replacement> list{{time, time + static_cast<double>(token) * step_}};
  for (const Expr& atom : field_atoms(roots)) {
    list.push_back({Field(atom.name()), Field(field(atom.name(), token))});
  }
  return substitute(e, list);
}

std::optional<Sequence> sequence_of(const Problem& problem, const Pinn& method,
                                    const Sizes& sizes) {
  const auto* former = std::get_if<Pinnsformer>(&method.network);
  if (former == nullptr || !former->sequential || former->sequence < 2) return std::nullopt;
  const auto refuse = [](const char* why, const char* fix) {
    throw Error(ErrorKind::unsupported, why, sequence_place, fix);
  };
  if (!method.decompose.empty()) refuse("tokens have no pieces", "leave out 'decompose'");
  const Time* time = problem.domain->time();
  if (time == nullptr || former->time != 0) {
    refuse("tokens stand for times, and the input that they follow is not the time",
           "use it for a problem with time, with time = 0");
  }
  const bool wound =
      std::any_of(method.periodic.begin(), method.periodic.end(),
                  [&](const PeriodicInput& p) { return p.coordinate == time->name; });
  if (wound) {
    refuse("the network sees the time as cosines and sines, in which tokens have no times",
           "leave out [[method.periodic]] of the time");
  }
  // The network sees the time in these units.
  const double unit = sizes.axes.front().half;
  return Sequence(static_cast<std::size_t>(former->sequence), time->name, former->step * unit);
}

PinnLoss with_tokens(PinnLoss loss, const std::optional<Sequence>& sequence) {
  if (!sequence) return loss;
  for (PinnTerm& term : loss.terms) {
    if (holds_for_tokens(term)) add_tokens_to(term, *sequence);
  }
  return loss;
}

}  // namespace cauchy::detail
