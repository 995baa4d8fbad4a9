#include "engine/term_state.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/engine/host_executor.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>

#include "engine/term_programs.hpp"

namespace cauchy::detail {
namespace {

std::vector<Expr> known_numbers(std::span<const Expr> residuals, const Graph& graph,
                                const std::map<std::string, double>& known, std::string_view term) {
  std::vector<Replacement> numbers;
  for (const Expr& e : postorder(residuals)) {
    if (e.kind() != Kind::parameter || graph.find_constant(e.name()) >= 0) continue;
    const auto it = known.find(e.name());
    if (it == known.end()) {
      throw Error(fmt::format("parameter '{}' has no number", e.name()),
                  fmt::format("term '{}'", term),
                  "give its value, or declare it as an unknown constant");
    }
    numbers.push_back({e, Expr(it->second)});
  }
  std::vector<Expr> out;
  for (const Expr& r : residuals) out.push_back(substitute(r, numbers));
  return out;
}

std::vector<std::string> field_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const auto& output : graph.outputs()) names.push_back(output.field);
  return names;
}

ResidualForm make_form(const Term& term, const Graph& graph, const ExecutorOptions& options) {
  if (term.residuals.empty()) {
    throw Error("a term needs at least one residual", fmt::format("term '{}'", term.name));
  }
  if (term.form == TermForm::power && !(term.power > 0 && std::isfinite(term.power))) {
    throw Error(fmt::format("the power must be positive, got {}", term.power),
                fmt::format("term '{}'", term.name));
  }
  return residual_form(known_numbers(term.residuals, graph, options.known, term.name),
                       graph.coordinate_names(), field_names(graph), options.collapse, term.name,
                       term.data);
}

}  // namespace

TermPrograms::TermPrograms(const ResidualForm& form, const Graph& graph, const Term& term) {
  const std::vector<Expr>& data = term.data;
  const bool square = term.form == TermForm::square;
  std::vector<Expr> rows, constants;
  for (const std::string& name : graph.coordinate_names()) {
    residual.inputs.push_back(Coordinate(name));
  }
  residual.inputs.insert(residual.inputs.end(), data.begin(), data.end());
  for (const auto& row : form.rows) {
    residual.inputs.push_back(row.atom);
    rows.push_back(row.atom);
  }
  for (const ParameterBlock& b : graph.parameters()) {
    if (b.role == ParameterBlock::Role::constant) constants.push_back(Parameter(b.name));
  }
  residual.parameters = constants;
  residual.outputs = form.residuals;

  const Symbol weight("~weight");
  const Parameter scale("~scale");
  std::vector<Expr> parts, seeds, wanted = rows;
  for (const Expr& r : form.residuals) {
    parts.push_back(square ? weight * r * r : weight * r);
    seeds.push_back(square ? 2 * scale * weight * r : scale * weight);
  }
  wanted.insert(wanted.end(), constants.begin(), constants.end());
  const std::vector<Expr> slopes_of_loss = adjoint(form.residuals, seeds, wanted);
  loss_value.inputs = residual.inputs;
  loss_value.inputs.push_back(weight);
  loss_value.parameters = constants;
  loss_value.parameters.push_back(scale);
  loss_value.sums = {sum(parts)};
  loss_gradient = loss_value;
  const auto n_rows = static_cast<std::ptrdiff_t>(rows.size());
  loss_gradient.outputs.assign(slopes_of_loss.begin(), slopes_of_loss.begin() + n_rows);
  loss_gradient.sums.insert(loss_gradient.sums.end(), slopes_of_loss.begin() + n_rows,
                            slopes_of_loss.end());

  reverse = reverse_spec(residual);
  slopes = residual;
  slopes.outputs.clear();
  for (const Expr& r : form.residuals) {
    for (const Expr& c : constants) slopes.outputs.push_back(partial(r, c));
  }
}

template <class T>
TermState<T>::TermState(Term term, std::shared_ptr<const Graph> network,
                        const ExecutorOptions& options)
    : TermState(term, make_form(term, *network, options), network) {}

template <class T>
TermState<T>::TermState(Term term, ResidualForm lowered, std::shared_ptr<const Graph> network)
    : TermState(term, lowered, network, TermPrograms(lowered, *network, term)) {}

template <class T>
TermState<T>::TermState(Term term, ResidualForm lowered, std::shared_ptr<const Graph> network,
                        const TermPrograms& programs)
    : spec(std::move(term)),
      form(std::move(lowered)),
      graph(std::move(network)),
      loss_gradient(programs.loss_gradient),
      loss_value(programs.loss_value),
      residual(programs.residual),
      reverse(programs.reverse),
      slopes(programs.slopes),
      inputs(*graph) {
  for (const Operation& op : graph->ops()) {
    const bool basis = op.code == OpCode::basis;
    if (!basis && op.code != OpCode::activation) continue;
    const int useful = basis ? op.basis->useful_order() : useful_order(op.activation);
    if (useful >= form.jets.order()) continue;
    warnings.push_back(fmt::format(
        "term '{}' needs derivatives of order {}, but derivatives of '{}' beyond order {} vanish",
        spec.name, form.jets.order(),
        basis ? op.basis->name() : std::string(to_string(op.activation)), useful));
    break;
  }
}

template <class T>
std::size_t TermState<T>::program_workspace() const {
  return std::max({loss_gradient.workspace_size(), loss_value.workspace_size(),
                   residual.workspace_size(), reverse.workspace_size(), slopes.workspace_size()});
}

template <class T>
void TermState<T>::set_block(std::size_t points_per_block, PlanCache<T>& plans) {
  prepared = plans.get(form, points_per_block);
  // Per-point gradients of one block should stay below 8 MB.
  std::size_t n = points_per_block;
  while (n % (2 * plans.backend().granularity()) == 0 &&
         n * graph->n_parameters() * sizeof(T) > (std::size_t{8} << 20)) {
    n /= 2;
  }
  few = plans.get(form, n);
  block = points_per_block;
}

template <class T>
std::string TermState<T>::place() const {
  return fmt::format("term '{}'", spec.name);
}

template <class T>
void TermState<T>::check_points(const TermPoints& given) const {
  const std::size_t D = n_coordinates(), K = spec.data.size();
  const auto& rows = given.points;
  if (rows.empty()) throw Error("the point set is empty", place(), "give at least one point");
  if (rows.size() % D != 0) {
    throw Error(fmt::format("{} numbers are not a whole number of points with {} coordinates",
                            rows.size(), D),
                place());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(rows[i])) {
      throw Error(fmt::format("coordinate '{}' of point {} is {}", graph->coordinate_names()[i % D],
                              i / D, rows[i]),
                  place(), "coordinates must be finite");
    }
  }
  if (given.data.empty() && K > 0) {
    throw Error("the point data are missing", place(), "give TermPoints::data with the points");
  }
  if (given.data.size() != rows.size() / D * K) {
    throw Error(fmt::format("the data of {} points need {} numbers, got {}", rows.size() / D,
                            rows.size() / D * K, given.data.size()),
                place());
  }
  for (std::size_t i = 0; i < given.data.size(); ++i) {
    if (!std::isfinite(given.data[i])) {
      throw Error(
          fmt::format("'{}' of point {} is {}", to_string(spec.data[i % K]), i / K, given.data[i]),
          place(), "point data must be finite");
    }
  }
}

template <class T>
void TermState<T>::check_weights(std::span<const double> given, std::size_t n, bool grouped) const {
  const char* what = grouped ? "group" : "point";
  if (given.size() != n) {
    throw Error(fmt::format("{} {} weights are needed, got {}", n, what, given.size()), place());
  }
  for (std::size_t p = 0; p < n; ++p) {
    if (!(given[p] >= 0) || !std::isfinite(given[p])) {
      throw Error(fmt::format("the weight of {} {} is {}", what, p, given[p]), place(),
                  "weights are finite and not negative");
    }
  }
}

template <class T>
void TermState<T>::set_points(const TermPoints& given) {
  const std::size_t D = n_coordinates(), K = spec.data.size();
  check_points(given);
  const std::size_t n = given.points.size() / D;
  const bool grouped = given.groups != nullptr;
  if (!grouped && spec.form == TermForm::power) {
    throw Error("powers are of the sums of groups", place(), "give TermPoints::groups");
  }
  if (grouped) check_groups(*given.groups, n);
  const std::size_t n_weights = grouped ? given.groups->size() : n;
  if (!given.weights.empty()) check_weights(given.weights, n_weights, grouped);
  n_points = n;
  n_padded = (n + block - 1) / block * block;
  points.resize(n_point_rows() * n_padded);
  for (std::size_t p = 0; p < n_padded; ++p) {
    const std::size_t from = std::min(p, n - 1);
    for (std::size_t i = 0; i < D; ++i) {
      points[i * n_padded + p] = static_cast<T>(given.points[from * D + i]);
    }
    for (std::size_t k = 0; k < K; ++k) {
      points[(D + k) * n_padded + p] = static_cast<T>(given.data[from * K + k]);
    }
  }
  has_groups = grouped;
  groups = grouped ? *given.groups : Groups{};
  given_weights.assign(n_weights, 1.0);
  std::copy(given.weights.begin(), given.weights.end(), given_weights.begin());
  inputs.clear();
  weights.assign(n_padded, T{0});
  if (two_passes()) list_members();
  make_point_weights();
  // Enough chunks to share among many threads; each one costs a pass over its own gradient.
  const std::size_t bytes = graph->n_parameters() * sizeof(T);
  std::size_t most = 64;
  while (most > 8 && most * bytes > (std::size_t{64} << 20)) most /= 2;
  n_chunks = std::min(n_padded / block, most);
}

template <class T>
void TermState<T>::set_weights(std::span<const double> given) {
  check_weights(given, n_groups(), has_groups);
  std::copy(given.begin(), given.end(), given_weights.begin());
  make_point_weights();
}

template <class T>
std::size_t choose_block(const ResidualForm& form, PlanCache<T>& plans) {
  const JetSpec& jets = form.jets;
  const std::size_t unit = std::max<std::size_t>(plans.backend().granularity(), 64 / sizeof(T));
  const Plan<T>& probe = plans.get(form, unit)->plan;
  const std::size_t bytes_per_unit = std::max<std::size_t>(1, probe.arena_size() * sizeof(T));
  // Wide networks do not fit at all; then columns matter more (weights are read once per block).
  const std::size_t fitting = nominal_cache_bytes / bytes_per_unit;
  const std::size_t floor =
      std::max<std::size_t>(1, (192 + static_cast<std::size_t>(jets.size()) * unit - 1) /
                                   (static_cast<std::size_t>(jets.size()) * unit));
  std::size_t units = std::max(fitting, floor);
  units = std::min<std::size_t>(units, 256 / unit);
  // A power of two keeps the per-point plans (halved blocks) aligned with it.
  std::size_t power = 1;
  while (2 * power <= units) power *= 2;
  return power * unit;
}

template struct TermState<float>;
template struct TermState<double>;
template std::size_t choose_block<float>(const ResidualForm&, PlanCache<float>&);
template std::size_t choose_block<double>(const ResidualForm&, PlanCache<double>&);

}  // namespace cauchy::detail
