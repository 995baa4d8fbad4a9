#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/field_units.hpp"
#include "problem/flux_jumps.hpp"
#include "problem/fresh_points.hpp"
#include "problem/point_data.hpp"
#include "problem/start_layers.hpp"
#include "problem/surface.hpp"
#include "problem/tested_model.hpp"

namespace cauchy {
namespace {

class TermChecker final {
 public:
  explicit TermChecker(const Solution& s)
      : solution_(s),
        evaluator_(s),
        problem_(evaluator_.problem()),
        sizes_(detail::characteristic_sizes(problem_, evaluator_.lower(), true)),
        corners_(problem_, evaluator_.lower()),
        tested_(dynamic_cast<const detail::TestedModel*>(s.model.get())) {
    find_variations();
  }

  std::vector<TermCheck> run() {
    for (std::size_t k = 0; k < problem_.equation.size(); ++k) {
      const ProblemEquation& e = problem_.equation[k];
      check(TermCheck::Kind::equation, name_of(e), evaluator_.lower()(e.form.residual()),
            corners_.without(detail::fresh_points(evaluator_, e)), k);
    }
    for (std::size_t k = 0; k < problem_.condition.size(); ++k) check_condition(k);
    for (const Observation& o : problem_.observation) check_observation(o);
    return std::move(checks_);
  }

 private:
  /// What fields vary by, in what is given and what was found: the unit of their values in
  /// conditions, and of their derivatives.
  void find_variations() {
    const std::vector<std::string> names = problem_.all_fields();
    std::vector<Expr> fields;
    for (const std::string& name : names) fields.push_back(Field(name));
    const Points inside = interior_points(domain_of(problem_), n_of_variation);
    std::map<std::string, std::vector<double>> seen;
    const auto found = evaluator_(fields, inside);
    for (std::size_t f = 0; f < names.size(); ++f) seen[names[f]] = found[f];
    for (const Condition& c : problem_.condition) {
      const auto form = dirichlet_form(c.form);
      if (c.kind != Condition::Kind::general || !form) continue;
      const Expr value[] = {evaluator_.lower()(form->value)};
      if (!field_atoms(value).empty()) continue;
      const std::vector<double> given =
          evaluator_(value, condition_points(problem_, c, n_of_variation / 4))[0];
      seen[form->field].insert(seen[form->field].end(), given.begin(), given.end());
    }
    double largest = 0;
    for (const std::string& name : names) {
      double low = INFINITY, high = -INFINITY;
      for (const double v : seen[name]) {
        if (!std::isfinite(v)) continue;
        low = std::min(low, v);
        high = std::max(high, v);
      }
      const double size = std::max(std::abs(low), std::abs(high));
      const bool varies = high - low > rounding * size;
      variation_[name] = varies ? high - low : std::isfinite(size) ? size : 1;
      largest = std::max(largest, variation_[name]);
    }
    for (auto& [name, unit] : variation_) {
      if (unit == 0 && largest == 0) unit = sizes_.fields.at(name);
      if (unit <= 1e-7 * largest) unit = 1e-3 * largest;
    }
    sizes_.variations = variation_;
  }

  static double root_mean_square(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v * v;
    return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
  }

  void add(TermCheck::Kind kind, const std::string& name, const std::vector<double>& residuals,
           double scale, const Points* points) {
    TermCheck c{.kind = kind, .name = name, .n_points = residuals.size()};
    c.scale = scale > 0 ? scale : 1;  // also for NaN
    c.fresh = root_mean_square(residuals) / c.scale;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      const double r = std::abs(residuals[i]) / c.scale;
      c.mean += r / static_cast<double>(residuals.size());
      if (std::isnan(c.worst) || r <= c.worst) continue;  // the first NaN stays
      c.worst = r;
      if (points != nullptr) c.where.assign(points->row(i).begin(), points->row(i).end());
    }
    if (solution_.training) {
      const auto trained = solution_.training->trained.find(name);
      if (trained != solution_.training->trained.end()) c.trained = trained->second / c.scale;
    }
    checks_.push_back(std::move(c));
  }

  /// The middle one in size of those at random points that are numbers; 0: there are none. The
  /// others, close to surfaces, would count too much.
  static double median(std::vector<double> values) {
    values.resize(std::min<std::size_t>(values.size(), 300));
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    if (values.empty()) return 0;
    for (double& v : values) v = std::abs(v);
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  /// A form of fields whose sizes are known: auxiliary ones, u_xx of a beam, have none.
  [[nodiscard]] bool measurable(const Expr& form) const {
    if (form.is_constant(0)) return false;
    const Expr roots[] = {form};
    const std::vector<Expr> fields = field_atoms(roots);
    return std::ranges::all_of(fields,
                               [&](const Expr& a) { return variation_.contains(a.name()); });
  }

  /// A term that a field fulfils in the mean is measured so, unless it is wrong at most points:
  /// then what was tested is not what was asked.
  bool check_means(TermCheck::Kind kind, const std::string& name, std::size_t number,
                   const Expr& residual, const std::vector<double>& at_points, double scale) {
    if (!(median(at_points) <= wrong_at_points * scale)) return false;
    const auto means = tested_->means(kind, number);
    if (!means) return false;
    const Expr& form = measurable(means->form) ? means->form : residual;
    add(kind, name, means->residuals,
        std::max(detail::residual_size(form, problem_, sizes_), root_mean_square(means->moduli)),
        &means->where);
    return true;
  }

  /// Equations whose fluxes jump are measured across the jumps too, which points do not see. What a
  /// classical answer leaves at some points only may be due to the kinks of the answer that is
  /// sought: there the equation is measured in the mean.
  bool check_around(TermCheck::Kind kind, const std::string& name, std::size_t number,
                    const Expr& residual, const std::vector<double>& residuals,
                    const Points& points, double scale) {
    if (kind != TermCheck::Kind::equation) return false;
    const ProblemEquation& equation = problem_.equation[number];
    const double fresh = root_mean_square(residuals);
    const double least = rounding * detail::residual_size(residual, problem_, sizes_);
    const auto across = detail::means_across_jumps(evaluator_, equation, least);
    if (across && !(root_mean_square(across->residuals) * scale <= fresh)) {
      add(kind, name, across->residuals, 1, &across->where);
      return true;
    }
    const double most = wrong_at_points * scale;
    if (solution_.training || !(fresh > most) || !(median(residuals) <= most)) return false;
    std::vector<std::size_t> off;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      if (std::abs(residuals[i]) > most) off.push_back(i);
    }
    std::ranges::sort(off, std::greater(), [&](std::size_t i) { return std::abs(residuals[i]); });
    Points centres;
    centres.columns = points.columns;
    for (const std::size_t i : off) {
      centres.values.insert(centres.values.end(), points.row(i).begin(), points.row(i).end());
    }
    const auto means = detail::means_around(evaluator_, equation, centres, least);
    if (!means) return false;
    add(kind, name, means->residuals, 1, &means->where);
    return true;
  }

  /// given   by a condition that gives a value: the variation of its field is the scale
  void check(TermCheck::Kind kind, const std::string& name, const Expr& residual,
             const Points& points, std::size_t number, const DirichletForm* given = nullptr) {
    std::vector<Expr> all = detail::additive_terms(residual);
    all.push_back(residual);
    std::vector<std::vector<double>> values = evaluator_(all, points);
    std::vector<double> residuals = std::move(values.back());
    values.pop_back();
    if (given != nullptr) leave_jumps(*given, points, residuals);
    std::vector<double> moduli(residuals.size(), 0.0);
    for (const std::vector<double>& term : values) {
      for (std::size_t i = 0; i < term.size(); ++i) moduli[i] += std::abs(term[i]);
    }
    const double shown = detail::residual_size(residual, problem_, sizes_);
    double scale = std::max(shown, root_mean_square(moduli));
    if (given != nullptr) scale = std::max(variation_.at(given->field), rounding * scale);
    if (tested_ == nullptr) {
      if (check_around(kind, name, number, residual, residuals, points, scale)) return;
      return add(kind, name, residuals, scale, &points);
    }
    const std::optional<std::vector<double>> beside = over_a_cell(kind, residual, points);
    if (beside) {
      // What the cells explain is not held against a flux as it was written.
      std::vector<double> left = residuals, changes;
      for (std::size_t i = 0; i < left.size(); ++i) {
        const double change = std::abs((*beside)[i] - left[i]);
        changes.push_back(change);
        if (std::isfinite(change))
          left[i] = std::copysign(std::max(0.0, std::abs(left[i]) - change), left[i]);
      }
      const double allowed = std::max(cells_explain * median(changes), small_at_points * scale);
      if (!(median(residuals) <= allowed)) return add(kind, name, residuals, scale, &points);
      if (check_means(kind, name, number, residual, residuals, scale)) return;
      return add(kind, name, left, scale, &points);
    }
    if (check_means(kind, name, number, residual, residuals, scale)) return;
    add(kind, name, residuals, scale, &points);
  }

  /// A given jump is where it is to a part of the length: what a value changes by over that is not
  /// held against one beside it.
  void leave_jumps(const DirichletForm& given, const Points& points,
                   std::vector<double>& residuals) const {
    const Expr value[] = {evaluator_.lower()(given.value)};
    const Domain domain = domain_of(problem_);
    if (!detail::jumps(given.value) || !field_atoms(value).empty() || domain.space() == nullptr)
      return;
    const std::size_t D = points.columns.size(), first = domain.space_column();
    std::vector<double> low(points.size(), INFINITY), high(points.size(), -INFINITY);
    for (std::size_t k = first; k < first + domain.space()->dimension(); ++k) {
      for (const double side : {-1.0, 1.0}) {
        Points beside = points;
        for (std::size_t i = 0; i < points.size(); ++i) {
          beside.values[i * D + k] += side * jump_place * 2 * sizes_.axes[k].half;
        }
        const std::vector<double> there = evaluator_(value, beside)[0];
        for (std::size_t i = 0; i < points.size(); ++i) {
          low[i] = std::min(low[i], there[i]);
          high[i] = std::max(high[i], there[i]);
        }
      }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double change = high[i] - low[i], r = residuals[i];
      if (std::isfinite(change)) {
        residuals[i] = std::copysign(std::max(0.0, std::abs(r) - change), r);
      }
    }
  }

  /// The residual of a condition on slopes one and a half cells further inside: what it differs by
  /// from that at the points, elements cannot know. NaN where there is no room; none for what is
  /// not a flux.
  std::optional<std::vector<double>> over_a_cell(TermCheck::Kind kind, const Expr& residual,
                                                 const Points& points) const {
    const Expr roots[] = {residual};
    const std::vector<Expr> found = field_atoms(roots);
    const bool flux =
        std::any_of(found.begin(), found.end(), [](const Expr& a) { return !a.index().empty(); });
    const double size = tested_->cell_size();
    const Domain domain = domain_of(problem_);
    if (kind != TermCheck::Kind::condition || points.normals.empty() || !flux || !(size > 0) ||
        domain.space() == nullptr || !domain.ranges().empty()) {
      return std::nullopt;
    }
    const ShapePtr shape = domain.shape();
    const std::size_t d = shape->dimension(), D = points.columns.size(), x0 = domain.space_column();
    Points inside = points;
    std::vector<char> moved(points.size(), 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
      double* const x = &inside.values[i * D + x0];
      double step = 1.5 * size;
      for (int halving = 0; halving < 6 && !moved[i]; ++halving, step /= 2) {
        for (std::size_t k = 0; k < d; ++k) {
          x[k] = points.values[i * D + x0 + k] - step * points.normals[i * d + k];
        }
        moved[i] = shape->contains(x) ? 1 : 0;
      }
      if (moved[i]) continue;
      std::copy_n(&points.values[i * D + x0], d, x);
    }
    std::vector<double> values = evaluator_(roots, inside)[0];
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!moved[i]) values[i] = std::nan("");
    }
    return values;
  }

  void check_condition(std::size_t number) {
    const Condition& c = problem_.condition[number];
    switch (c.kind) {
      case Condition::Kind::periodic:
        return check_period(c);
      case Condition::Kind::integral:
        return check_integral(c);
      case Condition::Kind::point:
        return check(TermCheck::Kind::condition, name_of(c), evaluator_.lower()(c.form.residual()),
                     detail::given_points(problem_, c), number);
      case Condition::Kind::interface:
        return check_interface(c);
      case Condition::Kind::general:
        const auto given = dirichlet_form(c.form);
        check(TermCheck::Kind::condition, name_of(c), evaluator_.lower()(c.form.residual()),
              corners_.without(detail::fresh_points(evaluator_, c)), number,
              given ? &*given : nullptr);
    }
  }

  /// The form on both sides of the surface, a little beside it.
  void check_interface(const Condition& c) {
    const detail::InnerSurface surface(problem_, c.where);
    SamplerOptions sampler{SamplerKind::uniform};
    sampler.seed = 0x9e3779b97f4a7c15;
    const Points points = surface.points(300, sampler);
    const Expr residual = evaluator_.lower()(c.form.residual());
    const auto inside = [](const Expr& e) { return e; };
    const Expr one_side[] = {detail::with_jumps(residual, inside)};
    const Expr none[] = {detail::with_jumps(residual, [](const Expr&) { return Expr(0); })};
    const std::vector<double> plus = evaluator_(one_side, surface.beside(points, 1))[0];
    const std::vector<double> minus = evaluator_(one_side, surface.beside(points, -1))[0];
    const std::vector<double> rest = evaluator_(none, points)[0];
    std::vector<double> residuals, moduli;
    for (std::size_t i = 0; i < plus.size(); ++i) {
      residuals.push_back(plus[i] - minus[i] + rest[i]);
      moduli.push_back(std::abs(plus[i] - rest[i]) + std::abs(minus[i] - rest[i]) +
                       std::abs(rest[i]));
    }
    const double shown = detail::jump_size(residual, problem_, sizes_);
    add(TermCheck::Kind::condition, name_of(c), residuals,
        std::max(shown, root_mean_square(moduli)), &points);
  }

  /// Values on one end minus values on the other, of every field in units of its size.
  void check_period(const Condition& c) {
    SamplerOptions options{SamplerKind::uniform};
    const Points inside = interior_points(domain_of(problem_), 300, options);
    const auto column = static_cast<std::size_t>(
        std::find(inside.columns.begin(), inside.columns.end(), c.coordinate) -
        inside.columns.begin());
    const Domain domain = domain_of(problem_);
    const std::size_t k = column - domain.space_column(), D = inside.columns.size();
    const std::size_t first_range = domain.space_column() + domain.space()->dimension();
    Points low = inside, high = inside;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      const ShapePtr shape = domain.shape(inside.row(i).subspan(first_range));
      low.values[i * D + column] = shape->bounds().lower[k];
      high.values[i * D + column] = shape->bounds().upper[k];
    }
    std::vector<Expr> fields;
    for (const std::string& name : problem_.fields) {
      fields.push_back(Field(name) / variation_.at(name));
    }
    const auto a = evaluator_(fields, low), b = evaluator_(fields, high);
    std::vector<double> difference;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      double worst = 0;
      for (std::size_t f = 0; f < fields.size(); ++f) {
        const double d = std::abs(a[f][i] - b[f][i]);
        if (!(d <= worst)) worst = d;
      }
      difference.push_back(worst);
    }
    add(TermCheck::Kind::condition, name_of(c), difference, 1, &low);
  }

  /// With other nodes than a method would take, at other times.
  void check_integral(const Condition& c) {
    const Domain domain = domain_of(problem_);
    const Domain space = Domain(*domain.space()).with(problem_.values());
    const Points nodes = detail::integral_rule(space, c.where, 3000).points;
    const Time* time = domain.time();
    const std::size_t n_times = time == nullptr ? 1 : 17, n = nodes.size();
    Points points;
    points.columns = problem_.coordinates();
    for (std::size_t j = 0; j < n_times; ++j) {
      const double share = (static_cast<double>(j) + 0.5) / static_cast<double>(n_times);
      for (std::size_t i = 0; i < n; ++i) {
        if (time != nullptr)
          points.values.push_back(time->lower + share * (time->upper - time->lower));
        points.values.insert(points.values.end(), nodes.row(i).begin(), nodes.row(i).end());
      }
      points.normals.insert(points.normals.end(), nodes.normals.begin(), nodes.normals.end());
    }
    const Expr sides[] = {evaluator_.lower()(c.form.left), evaluator_.lower()(c.form.right)};
    const auto values = evaluator_(sides, points);
    std::vector<double> residuals, moduli;
    for (std::size_t j = 0; j < n_times; ++j) {
      double sum = 0, size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += nodes.weights[i] * values[0][j * n + i];
        size += nodes.weights[i] * std::abs(values[0][j * n + i]);
      }
      residuals.push_back(sum - values[1][j * n]);
      moduli.push_back(size + std::abs(values[1][j * n]));
    }
    add(TermCheck::Kind::condition, name_of(c), residuals, root_mean_square(moduli), nullptr);
  }

  void check_observation(const Observation& o) {
    const Points points = detail::given_points(problem_, o);
    const std::vector<double> observed = o.table.column(o.column), noise = detail::noise_of(o);
    double size = 0;
    for (const double v : observed) size = std::max(size, std::abs(v));
    const Expr residual[] = {evaluator_.lower()(o.quantity) - detail::observed_symbol()};
    std::vector<double> misfit = evaluator_(residual, points, observed)[0];
    if (!noise.empty()) {
      size = root_mean_square(noise);
      for (std::size_t i = 0; i < misfit.size(); ++i) misfit[i] *= size / noise[i];
    }
    add(TermCheck::Kind::observation, o.name, misfit, size, &points);
    checks_.back().trained = checks_.back().fresh;  // the same points
  }

  const Solution& solution_;
  detail::PointEvaluator evaluator_;
  const Problem& problem_;
  detail::Sizes sizes_;
  detail::StartLayers corners_;
  const detail::TestedModel* tested_;
  std::map<std::string, double> variation_;
  std::vector<TermCheck> checks_;
  static constexpr std::size_t n_of_variation = 400;
  static constexpr double rounding = 1e-6;    // of the values, that no variation is smaller than
  static constexpr double jump_place = 2e-3;  // of the length
  static constexpr double wrong_at_points = 0.3;  // of the terms, in the median
  /// A flux as it was written: of the terms, and of what it changes by over a cell.
  static constexpr double small_at_points = 0.02, cells_explain = 2;
};

}  // namespace

std::vector<TermCheck> check_terms(const Solution& solution) {
  for (const auto& [name, value] : solution.unknowns) {
    if (!std::isfinite(value)) return {};  // the answer has diverged
  }
  return TermChecker(solution).run();
}

}  // namespace cauchy
