#include "solvers/pinn/pinn_terms.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/engine/jet_spec.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/sampling/measure.hpp>
#include <cauchy/sampling/quadrature_points.hpp>

#include "problem/initial_layers.hpp"
#include "problem/point_data.hpp"
#include "solvers/pinn/boundary_distances.hpp"
#include "solvers/pinn/pinn_noise.hpp"
#include "solvers/pinn/pinn_sobolev.hpp"
#include "solvers/pinn/pinn_sparsity.hpp"

namespace cauchy::detail {

namespace {

using Drawing = std::function<Points(std::size_t n, const SamplerOptions&)>;

/// Points that a function draws without those that are marked.
Points points_without(const Drawing& draw, std::size_t n, const SamplerOptions& options,
                      const std::function<std::vector<bool>(const Points&)>& marks) {
  Points drawn = draw(n, options);
  const std::vector<bool> first = marks(drawn);
  const auto n_out = static_cast<std::size_t>(std::count(first.begin(), first.end(), true));
  if (n_out == 0) return drawn;
  drawn = draw(n + n_out, options);
  const std::vector<bool> out = marks(drawn);
  Points kept;
  kept.columns = drawn.columns;
  for (std::size_t i = 0; i < drawn.size() && kept.size() < n; ++i) {
    if (!out[i]) kept.values.insert(kept.values.end(), drawn.row(i).begin(), drawn.row(i).end());
  }
  return kept;
}

/// Which points lie on the boundary: the first one of many sequences is a corner.
std::vector<bool> on_boundary(const Problem& problem, const Points& points) {
  const std::vector<double> all = boundary_distances(problem, points);
  const double largest = *std::max_element(all.begin(), all.end());
  std::vector<bool> on;
  for (const double d : all) on.push_back(!(d > 1e-6 * largest));
  return on;
}

/// Which points lie at one of these places along the coordinate of space.
std::vector<bool> at_places(const Problem& problem, const std::vector<double>& places,
                            const Points& points) {
  const Domain domain = domain_of(problem);
  const Bounds bounds = domain.shape({})->bounds();
  const double near = 1e-6 * (bounds.upper[0] - bounds.lower[0]);
  std::vector<bool> at(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = points.row(i)[domain.space_column()];
    at[i] = std::ranges::any_of(places, [&](double y) { return std::abs(x - y) < near; });
  }
  return at;
}

class LossBuilder final {
 public:
  LossBuilder(std::shared_ptr<const Problem> problem, const Pinn& method, const Lowering& lower,
              const Sizes& sizes)
      : shared_(std::move(problem)),
        problem_(*shared_),
        method_(method),
        lower_(lower),
        sizes_(sizes),
        domain_(domain_of(problem_)),
        noise_(noise_model(problem_, method_)) {
    for (const InitialLayer& layer : layers_of(problem_, method_, lower_)) {
      if (layer.kind == InitialLayer::Kind::jump) jumps_.push_back(layer.place);
    }
    built_in_ = domain_.space() != nullptr &&
                std::any_of(problem_.condition.begin(), problem_.condition.end(),
                            [](const Condition& c) { return c.hard; });
  }

  PinnLoss build(const HandedStart& start) {
    expect_orders();
    add_equations(start.errors);
    add_conditions();
    if (start.model) {
      for (const HandedOn& quantity : start.quantities) add_handed(quantity, start.model);
    }
    for (const Observation& o : problem_.observation) add_observation(o);
    if (auto sparsity = sparsity_term(problem_, method_)) loss_.terms.push_back(*sparsity);
    for (const Condition& c : problem_.condition) {
      if (c.kind == Condition::Kind::integral) add_integral(c);
    }
    return std::move(loss_);
  }

 private:
  /// Networks have derivatives up to an order; a higher one is told before anything is made.
  void expect_orders() const {
    const auto expect = [](const Expr& e, const std::string& place) {
      if (order(e) <= JetSpec::max_order) return;
      throw Error(ErrorKind::unsupported,
                  fmt::format("it has a derivative of order {}, networks have at most {}", order(e),
                              JetSpec::max_order),
                  place, "make a lower derivative a field of its own");
    };
    for (const ProblemEquation& e : problem_.equation) {
      expect(e.form.residual(), fmt::format("equation '{}'", name_of(e)));
    }
    for (const Condition& c : problem_.condition) {
      expect(c.form.residual(), fmt::format("condition '{}'", name_of(c)));
    }
    for (const Observation& o : problem_.observation) {
      expect(o.quantity, fmt::format("observation '{}'", o.name));
    }
  }

  double size_of(const Expr& residual) const {
    return method_.scale ? residual_size(residual, problem_, sizes_) : 1;
  }

  /// A weight with numbers in place of parameters.
  Expr known(const Expr& weight) const {
    const Expr w = lower_(weight), roots[] = {w};
    const bool varies = !atoms(roots, Kind::coordinate).empty() || !data_of(roots).empty();
    return varies ? w : Expr(evaluate(w, Values{}));
  }
  /// A number is a weight of the term, an expression one of its points.
  static void weigh(PinnTerm& term, const Expr& weight, double measure = 1) {
    const bool number = weight.is_constant();
    term.term.weight = measure * (number ? weight.value() : 1);
    if (!number) term.point_weight = weight;
  }

  /// What terms that share their points agree in.
  struct Place {
    std::string where;
    Expr weight;  ///< lowered
    friend bool operator==(const Place& a, const Place& b) {
      return a.where == b.where && same(a.weight, b.weight);
    }
  };

  /// Weight of a set: 1 in the mean, its measure in the integral.
  double measure_of_domain() const {
    if (problem_.convention == LossConvention::risk) return 1;
    double m = domain_.time() != nullptr ? domain_.time()->upper - domain_.time()->lower : 1;
    if (domain_.space() != nullptr) m *= measure(*domain_.shape(middle())).value;
    return m;
  }
  double measure_of(const ConditionPlace& place) const {
    if (problem_.convention == LossConvention::risk || domain_.space() == nullptr) return 1;
    if (place.kind == ConditionPlace::Kind::slice) return measure(*domain_.shape(middle())).value;
    const double t = domain_.time() != nullptr ? domain_.time()->upper - domain_.time()->lower : 1;
    return t * boundary_measure(domain_, place.boundary).value;
  }
  std::vector<double> middle() const {
    std::vector<double> values;
    for (const Range& r : domain_.ranges()) values.push_back((r.lower + r.upper) / 2);
    return values;
  }

  /// `factor` weighs a residual within its term, by its square.
  void push(const Expr& residual, const std::string& name, PinnTerm& term,
            double factor = 1) const {
    const Expr r = lower_(residual);
    const double size = size_of(r) / factor;
    if (term.term.residuals.empty()) term.size = size;
    term.parts.push_back({name, size});
    term.term.residuals.push_back(r / size);
  }

  /// Derivatives of a residual stand beside it: they need the same points and hardly more jets.
  void push_derivatives(const Expr& residual, const std::string& name, PinnTerm& term) const {
    if (method_.sobolev <= 0 || !(method_.sobolev_weight > 0)) return;
    for (const ResidualDerivative& derivative :
         residual_derivatives(problem_, lower_(residual), method_.sobolev, name)) {
      push(derivative.residual, derivative.name, term, std::sqrt(method_.sobolev_weight));
    }
  }

  void finish(PinnTerm term) {
    term.term.data = data_of(term.term.residuals);
    loss_.terms.push_back(std::move(term));
  }

  /// Equations with the same place and weight share their points and one pass through the network.
  void add_equations(const Matrix& errors) {
    std::vector<Place> places;
    for (const ProblemEquation& e : problem_.equation) {
      const Place place{e.where, known(e.weight)};
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
    for (const Place& place : places) {
      const std::string where = place.where;
      PinnTerm term;
      term.kind = PointSource::Kind::equation;
      term.n = method_.points.interior;
      std::vector<std::string> names;
      for (const ProblemEquation& e : problem_.equation) {
        if (!(Place{e.where, known(e.weight)} == place)) continue;
        names.push_back(name_of(e));
        push(e.form.residual(), names.back(), term);
        push_derivatives(e.form.residual(), names.back(), term);
      }
      term.term.name = names.size() == 1 ? names[0] : fmt::format("{} equations", names.size());
      if (!where.empty()) term.term.name += " where " + where;
      if (!errors.empty() && places.size() == 1) mix(term, errors);
      weigh(term, place.weight, measure_of_domain());
      if (&place == &places.front()) add_smoothness(term);
      term.draw = [problem = shared_, where](std::size_t n, const SamplerOptions& options) {
        return equation_points(*problem, where, n, options);
      };
      // Where values are built in, trial functions have no second derivatives at corners.
      if (built_in_) {
        leave_out(term, [problem = shared_](const Points& p) { return on_boundary(*problem, p); });
      }
      leave_out_jumps(term);
      if (method_.points.rule == PointRule::gauss) use_gauss(term, where);
      finish(std::move(term));
    }
  }

  /// The mean of the weighted squares is the integral over the measure.
  void use_gauss(PinnTerm& term, const std::string& where) const {
    const auto refuse = [](const std::string& why) {
      throw Error(ErrorKind::unsupported, "the Gauss rule is one of the whole domain: " + why,
                  "[method.points]", "use rule = \"sampler\"");
    };
    if (!where.empty()) refuse(fmt::format("an equation holds where {}", where));
    if (!method_.decompose.empty()) refuse("'decompose' cuts it");
    const double n = static_cast<double>(term.n), D = static_cast<double>(domain_.dimension());
    const double order = std::max(1.0, std::round(std::pow(n, 1 / D)));
    const Points nodes = gauss_points(domain_, static_cast<std::size_t>(order));
    double sum = 0;
    for (const double w : nodes.weights) sum += w;
    for (const double w : nodes.weights) {
      term.weights.push_back(w * static_cast<double>(nodes.size()) / sum);
    }
    term.n = nodes.size();
    term.redrawn = false;
    term.draw = [nodes](std::size_t, const SamplerOptions&) { return nodes; };
  }

  /// Sums of the equations' residuals in place of them: row by row of the matrix.
  void mix(PinnTerm& term, const Matrix& errors) const {
    std::vector<Expr> residuals;
    for (const ProblemEquation& e : problem_.equation) {
      residuals.push_back(lower_(e.form.residual()));
    }
    term.mixed = true;
    term.size = 1;
    term.parts.clear();
    term.term.residuals.clear();
    for (std::size_t i = 0; i < errors.rows(); ++i) {
      Expr sum = 0;
      for (std::size_t k = 0; k < errors.cols(); ++k) sum += errors(i, k) * residuals[k];
      term.parts.push_back({fmt::format("error {}", i + 1), 1});
      term.term.residuals.push_back(sum);
    }
  }

  /// What noisy data leave open of a coefficient is settled by what is expected of it: across the
  /// domain it is a random walk whose end has the standard deviation `variation`, in units of its
  /// size. As a term of the loss, beside a misfit of noise v per row:
  ///   v (2 / variation)^2 mean (half width * gradient / size)^2
  void add_smoothness(PinnTerm& term) const {
    if (!noise_ || !(method_.variation > 0) || !(term.term.weight > 0)) return;
    const double v = noise_->row_variance(noise_weight(method_));
    const double factor = 2 / method_.variation * std::sqrt(v / term.term.weight);
    for (const Coefficient& c : problem_.coefficients) {
      const double size = sizes_.fields.at(c.name);
      for (const Sizes::Axis& axis : sizes_.axes) {
        const auto& own = c.coordinates;
        if (!own.empty() && std::find(own.begin(), own.end(), axis.name) == own.end()) continue;
        term.parts.push_back({fmt::format("{} along {}", c.name, axis.name), 1 / factor});
        term.term.residuals.push_back(factor * axis.half / size *
                                      lower_(d(Field(c.name), Coordinate(axis.name))));
      }
    }
  }

  void add_conditions() {
    std::vector<std::pair<Place, std::size_t>> by_place;  // these share points too
    for (const Condition& c : problem_.condition) {
      switch (c.kind) {
        case Condition::Kind::periodic:
          break;  // wound up in the network
        case Condition::Kind::point:
          add_point(c);
          break;
        case Condition::Kind::integral:
          break;  // added last
        case Condition::Kind::interface:
          break;  // belongs to two pieces
        case Condition::Kind::general: {
          if (c.hard) break;
          const Place place{c.where, known(c.weight)};
          const auto it = std::ranges::find(by_place, place, &std::pair<Place, std::size_t>::first);
          if (it != by_place.end()) {
            PinnTerm& term = loss_.terms[it->second];
            push(c.form.residual(), name_of(c), term);
            term.term.data = data_of(term.term.residuals);
            term.term.name = "conditions on " + c.where;
            break;
          }
          by_place.emplace_back(place, loss_.terms.size());
          add_general(c);
          break;
        }
      }
    }
  }

  void add_general(const Condition& c) {
    const ConditionPlace place = place_of(problem_, c);
    PinnTerm term;
    term.term.name = name_of(c);
    const bool slice = place.kind == ConditionPlace::Kind::slice;
    if (slice) term.kind = PointSource::Kind::initial;
    term.n = slice ? method_.points.initial : method_.points.boundary;
    if (slice && domain_.space() == nullptr && domain_.ranges().empty()) term.n = 1;
    const bool ends = !slice && domain_.space()->dimension() == 1 && domain_.time() == nullptr &&
                      domain_.ranges().empty();
    if (ends) term.n = std::min<std::size_t>(term.n, 2);  // the boundary has two points
    weigh(term, known(c.weight), measure_of(place) * method_.condition_weight);
    push(c.form.residual(), term.term.name, term);
    term.draw = [problem = shared_, c](std::size_t n, const SamplerOptions& options) {
      return condition_points(*problem, c, n, options);
    };
    if (slice) leave_out_jumps(term);
    finish(std::move(term));
  }

  using Marks = std::function<std::vector<bool>(const Points&)>;
  static void leave_out(PinnTerm& term, Marks marks) {
    term.draw = [draw = std::move(term.draw), marks = std::move(marks)](
                    std::size_t n, const SamplerOptions& options) {
      return points_without(draw, n, options, marks);
    };
  }
  /// Where values jump at the first time there is none to be had, and slopes are infinite.
  void leave_out_jumps(PinnTerm& term) const {
    if (jumps_.empty()) return;
    leave_out(term, [problem = shared_, places = jumps_](const Points& p) {
      return at_places(*problem, places, p);
    });
  }

  void add_handed(const HandedOn& quantity, const std::shared_ptr<const FieldModel>& model) {
    const Time& time = *domain_.time();
    const Expr e = quantity.expression(time.name);
    PinnTerm term;
    term.kind = PointSource::Kind::initial;
    term.term.name = fmt::format("{} handed on", to_string(e));
    term.term.weight = method_.condition_weight;
    term.n = domain_.space() == nullptr && domain_.ranges().empty() ? 1 : method_.points.initial;
    term.size = size_of(lower_(e));
    term.parts = {{term.term.name, term.size}};
    term.term.residuals = {(lower_(e) - observed_symbol()) / term.size};
    term.observe = [e, model](const Points& points) {
      std::vector<double> values(points.size());
      const Expr expressions[] = {e};
      model->evaluate(expressions, points.values, values);
      return values;
    };
    term.draw = [domain = domain_](std::size_t n, const SamplerOptions& options) {
      return initial_points(domain, n, options);
    };
    finish(std::move(term));
  }

  void add_point(const Condition& c) {
    PinnTerm term;
    term.term.name = name_of(c);
    term.n = 1;
    term.redrawn = false;
    weigh(term, known(c.weight));
    push(c.form.residual(), term.term.name, term);
    const Points points = given_points(problem_, c);
    term.draw = [points](std::size_t, const SamplerOptions&) { return points; };
    finish(std::move(term));
  }

  void add_observation(const Observation& o) {
    PinnTerm term;
    term.term.name = o.name;
    term.kind = PointSource::Kind::observation;
    term.redrawn = false;
    term.n = o.table.rows();
    term.observed = o.table.column(o.column);
    term.size = observed_size(o, method_.scale);
    term.term.weight = o.weight;
    term.sigma = noise_of(o);
    if (!term.sigma.empty()) {
      term.noise = 1 / noise_->precision;
      term.term.weight *= static_cast<double>(term.sigma.size()) / noise_->n;
      for (const double s : term.sigma) {
        term.weights.push_back(term.size * term.size / (s * s) * term.noise);
      }
    }
    term.parts = {{o.name, term.size}};
    term.term.residuals = {(lower_(o.quantity) - observed_symbol()) / term.size};
    const Points points = given_points(problem_, o);
    term.draw = [points](std::size_t, const SamplerOptions&) { return points; };
    finish(std::move(term));
  }

  void add_integral(const Condition& c) {
    PinnTerm term;
    term.term.name = name_of(c);
    weigh(term, known(c.weight));
    term.term.residuals = {lower_(c.form.left)};
    term.redrawn = false;
    const Time* time = domain_.time();
    const std::size_t n = c.where == "domain" ? method_.points.interior : method_.points.boundary;
    const std::size_t n_times = time == nullptr ? 1 : 20;
    if (!domain_.ranges().empty() || domain_.space() == nullptr) {
      throw Error("integral conditions need space, and no parameter ranges",
                  fmt::format("condition '{}'", term.term.name));
    }
    const Domain space = Domain(*domain_.space()).with(problem_.values());
    const IntegralRule rule = integral_rule(space, c.where, std::max<std::size_t>(64, n / n_times));
    const Points& nodes = rule.points;
    if (!rule.gauss) {
      loss_.remarks.push_back(
          fmt::format("the integral '{}' is a mean over {} points: its region has no Gauss rule",
                      term.term.name, nodes.size()));
    }
    Points points;
    points.columns = problem_.coordinates();
    Groups groups{.offsets = {0}, .points = {}, .weights = {}};
    const Expr target = lower_(c.form.right);
    for (std::size_t j = 0; j < n_times; ++j) {
      const double share =
          n_times == 1 ? 0 : static_cast<double>(j) / static_cast<double>(n_times - 1);
      const double t = time == nullptr ? 0 : time->lower + share * (time->upper - time->lower);
      Values values;
      if (time != nullptr) values.set(Coordinate(time->name), t);
      groups.targets.push_back(evaluate(target, values));
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (time != nullptr) points.values.push_back(t);
        points.values.insert(points.values.end(), nodes.row(i).begin(), nodes.row(i).end());
        groups.points.push_back(groups.points.size());
        groups.weights.push_back(nodes.weights[i]);
      }
      groups.offsets.push_back(groups.points.size());
    }
    term.n = groups.points.size();
    term.groups = std::move(groups);
    term.draw = [points](std::size_t, const SamplerOptions&) { return points; };
    finish(std::move(term));
  }

  std::shared_ptr<const Problem> shared_;
  const Problem& problem_;
  const Pinn& method_;
  const Lowering& lower_;
  const Sizes& sizes_;
  Domain domain_;
  std::optional<NoiseModel> noise_;
  std::vector<double> jumps_;  // places of initial layers
  bool built_in_ = false;      // some condition
  PinnLoss loss_;
};

}  // namespace

PinnLoss make_loss(std::shared_ptr<const Problem> problem, const Pinn& method,
                   const Lowering& lower, const Sizes& sizes, const HandedStart& start) {
  return LossBuilder(std::move(problem), method, lower, sizes).build(start);
}

void set_term_points(Executor& executor, std::size_t index, const Problem& problem,
                     const PinnTerm& term, const Points& points,
                     std::span<const std::size_t> rows) {
  const std::size_t D = points.columns.size(), K = term.term.data.size();
  const std::vector<double> data =
      K == 0 ? std::vector<double>{}
             : point_data(problem, term.term.data, points,
                          term.observe ? term.observe(points) : term.observed);
  if (rows.empty()) {
    executor.set_points(
        index,
        {.points = points.values, .data = data, .groups = term.groups ? &*term.groups : nullptr});
    return;
  }
  std::vector<double> some, some_data;
  for (const std::size_t r : rows) {
    some.insert(some.end(), points.values.begin() + static_cast<std::ptrdiff_t>(r * D),
                points.values.begin() + static_cast<std::ptrdiff_t>((r + 1) * D));
    some_data.insert(some_data.end(), data.begin() + static_cast<std::ptrdiff_t>(r * K),
                     data.begin() + static_cast<std::ptrdiff_t>((r + 1) * K));
  }
  executor.set_points(index, {.points = some, .data = some_data});
}

std::vector<double> term_weights(const PinnTerm& term, const PointEvaluator& evaluator,
                                 const Points& points) {
  if (term.point_weight.is_constant()) return {};
  const Expr weight[] = {term.point_weight};
  std::vector<double> values = evaluator(weight, points)[0];
  for (const double w : values) {
    if (w >= 0 && std::isfinite(w)) continue;
    throw Error(fmt::format("the weight '{}' is {} at a point", to_string(term.point_weight), w),
                fmt::format("term '{}'", term.term.name), "weights are finite and not negative");
  }
  for (std::size_t i = 0; i < term.weights.size(); ++i) values[i] *= term.weights[i];
  if (!term.groups) return values;
  std::vector<double> of_groups;
  for (std::size_t g = 0; g < term.groups->size(); ++g) {
    of_groups.push_back(values[term.groups->points[term.groups->offsets[g]]]);
  }
  return of_groups;
}

std::vector<Term> engine_terms(const PinnLoss& loss) {
  std::vector<Term> terms;
  for (const PinnTerm& t : loss.terms) terms.push_back(t.term);
  return terms;
}

}  // namespace cauchy::detail
