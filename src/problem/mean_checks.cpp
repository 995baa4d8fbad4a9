#include "problem/mean_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>

#include "problem/narrow_sources.hpp"

namespace cauchy::detail {
namespace {

// Half a box, of the extent of the domain: as far as it may be from a point to the boundary.
constexpr double widest = 0.1, narrowest = 1e-7;

bool holds_fields(const Expr& e) {
  const Expr roots[] = {e};
  return !field_atoms(roots).empty();
}

}  // namespace

bool jumps(const Expr& e) {
  const Expr roots[] = {e};
  const std::vector<Expr> nodes = postorder(roots);
  return std::any_of(nodes.begin(), nodes.end(), [](const Expr& n) { return has_jump(n.kind()); });
}

std::optional<TestedForm> tested_form(const Problem& problem, const ProblemEquation& equation) {
  const bool surfaces = std::ranges::any_of(problem.condition, [](const Condition& c) {
    return c.kind == Condition::Kind::interface;  // which say themselves how fluxes jump
  });
  if (surfaces || !equation.where.empty()) return std::nullopt;
  const std::vector<std::string> columns = problem.coordinates();
  TestedForm form;
  for (const Summand& s : summands(equation.form)) {
    if (s.is_plain()) {
      if (order(s.coefficient) > 0) return std::nullopt;
      form.plain.push_back(plain(s.coefficient));
      continue;
    }
    if (holds_fields(s.coefficient) || jumps(s.coefficient)) return std::nullopt;
    for (std::size_t i = 0; i < s.flux.size(); ++i) {
      const Expr flux = plain(s.flux[i]);
      const auto column = std::ranges::find(columns, s.by[i].name());
      if (column == columns.end() || order(flux) > 1 || !is_linear(flux)) return std::nullopt;
      form.flux.emplace_back(-s.coefficient * flux,
                             static_cast<std::size_t>(column - columns.begin()));
      const Expr product = -flux * d(s.coefficient, s.by[i]);
      if (!product.is_constant(0)) form.plain.push_back(product);
    }
  }
  return form;
}

namespace {

class MeanTester {
 public:
  MeanTester(const PointEvaluator& evaluator, const TestedForm& form, double least)
      : evaluator_(evaluator),
        least_(least),
        domain_(domain_of(evaluator.problem())),
        n_plain_(form.plain.size()) {
    for (const Expr& e : form.plain) expressions_.push_back(evaluator.lower()(e));
    for (const auto& [flux, column] : form.flux) {
      expressions_.push_back(evaluator.lower()(flux));
      columns_.push_back(column);
      carried_.push_back(order(flux) == 0 ? 1 : 0);
    }
    n_tested_ =
        domain_.space_column() + (domain_.space() == nullptr ? 0 : domain_.space()->dimension());
    // Of few coordinates many nodes: what jumps between them is an error of one over their number.
    constexpr std::array<std::size_t, 5> nodes = {1, 400, 32, 12, 8};
    n_nodes_ = n_tested_ < nodes.size() ? nodes[n_tested_] : 0;
  }

  [[nodiscard]] bool able() const { return n_nodes_ > 0 && n_tested_ > 0; }
  /// Some ten thousand points in all.
  [[nodiscard]] std::size_t most_boxes() const { return n_tested_ < 4 ? 24 : 8; }

  /// In the widest box around a point, and beside the boundary in smaller ones that reach it, so
  /// that one of them is as wide as what hides there.
  void test(std::span<const double> centre, WeakMeans& means) {
    std::vector<double> before;
    for (double rooms = 1; rooms < 1e8; rooms *= 8) {
      if (!place(centre, rooms) || half_ == before) return;
      before = half_;
      test_box(centre, means);
    }
  }

 private:
  void test_box(std::span<const double> centre, WeakMeans& means) {
    const std::size_t D = centre.size();
    std::size_t n = 1;
    for (std::size_t k = 0; k < n_tested_; ++k) n *= n_nodes_;
    Points points;
    points.columns = evaluator_.problem().coordinates();
    points.values.reserve(n * D);
    std::vector<double> values(n, 1.0), slopes(n * n_tested_, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t rest = i;
      for (std::size_t k = 0; k < D; ++k) {
        if (k >= n_tested_) {
          points.values.push_back(centre[k]);
          continue;
        }
        const double s =
            (2 * static_cast<double>(rest % n_nodes_) + 1) / static_cast<double>(n_nodes_) - 1;
        rest /= n_nodes_;
        const double b = 1 - s * s, value = b * b * b, slope = -6 * s * b * b / half_[k];
        points.values.push_back(centre_[k] + s * half_[k]);
        values[i] *= value;
        for (std::size_t j = 0; j < n_tested_; ++j)
          slopes[i * n_tested_ + j] *= j == k ? slope : value;
      }
    }
    auto found = evaluator_(expressions_, points);
    // The integral of a slope of v is 0: what is carried counts by what it varies by.
    for (std::size_t e = n_plain_; e < found.size(); ++e) {
      if (!carried_[e - n_plain_]) continue;
      const double middle = found[e][n / 2];
      for (double& value : found[e]) value -= middle;
    }
    double sum = 0, size = 0, mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += values[i];
    for (std::size_t e = 0; e < found.size(); ++e) {
      for (std::size_t i = 0; i < n; ++i) {
        const double v = e < n_plain_ ? values[i] : slopes[i * n_tested_ + columns_[e - n_plain_]];
        sum += found[e][i] * v;
        // A flux through the box counts once: what flows in.
        size += (e < n_plain_ ? 1 : 0.5) * std::abs(found[e][i] * v);
      }
    }
    const double unit = std::max(size / mean, least_);
    means.residuals.push_back(unit > 0 ? sum / mean / unit : 0);
    means.moduli.push_back(1);
    means.where.values.insert(means.where.values.end(), centre_.begin(), centre_.end());
    const auto ranges = centre.subspan(n_tested_);
    means.where.values.insert(means.where.values.end(), ranges.begin(), ranges.end());
  }

  /// A box around a point, no wider than so many times its way to the boundary.
  bool place(std::span<const double> centre, double rooms) {
    const ShapePtr shape =
        domain_.space() == nullptr ? nullptr : domain_.shape(centre.subspan(n_tested_));
    centre_.assign(centre.begin(), centre.begin() + static_cast<std::ptrdiff_t>(n_tested_));
    half_.assign(n_tested_, 0.0);
    for (double part = widest; part > narrowest; part /= 2) {
      for (std::size_t k = 0; k < n_tested_; ++k) {
        const auto [lower, upper] = ends(k, shape);
        const double room = std::min(centre[k] - lower, upper - centre[k]);
        half_[k] =
            std::max(std::min(part * (upper - lower), rooms * room), narrowest * (upper - lower));
        centre_[k] = std::clamp(centre[k], lower + half_[k], upper - half_[k]);
      }
      if (inside(shape)) return true;
    }
    return false;
  }
  [[nodiscard]] std::pair<double, double> ends(std::size_t k, const ShapePtr& shape) const {
    if (k < domain_.space_column()) return {domain_.time()->lower, domain_.time()->upper};
    const auto box = shape->bounds();
    return {box.lower[k - domain_.space_column()], box.upper[k - domain_.space_column()]};
  }
  [[nodiscard]] bool inside(const ShapePtr& shape) const {
    if (shape == nullptr) return true;
    const std::size_t d = shape->dimension(), x0 = domain_.space_column();
    std::size_t n = 1;
    for (std::size_t k = 0; k < d; ++k) n *= 5;
    for (std::size_t i = 0; i < n; ++i) {
      std::array<double, 3> x{};
      std::size_t rest = i;
      for (std::size_t k = 0; k < d; ++k, rest /= 5) {
        x[k] =
            centre_[x0 + k] + (static_cast<double>(rest % 5) / 2 - 1) * half_[x0 + k] * (1 - 1e-9);
      }
      if (!shape->contains(x.data())) return false;
    }
    return true;
  }

  const PointEvaluator& evaluator_;
  double least_;
  Domain domain_;
  std::size_t n_plain_ = 0, n_tested_ = 0, n_nodes_ = 0;
  std::vector<Expr> expressions_;
  std::vector<std::size_t> columns_;
  std::vector<char> carried_;  // fluxes of values, not of slopes
  std::vector<double> centre_, half_;
};

}  // namespace

std::optional<WeakMeans> means_around(const PointEvaluator& evaluator,
                                      const ProblemEquation& equation, const Points& centres,
                                      double least) {
  const Problem& problem = evaluator.problem();
  const auto form = tested_form(problem, equation);
  if (!form || !narrow_sources(problem).empty()) return std::nullopt;
  MeanTester tester(evaluator, *form, least);
  if (!tester.able()) return std::nullopt;
  WeakMeans means;
  means.where.columns = centres.columns;
  // Spread over the centres; those beside the boundary take several boxes each.
  const std::size_t n = centres.size(), most = std::min(n, tester.most_boxes());
  constexpr std::size_t stride = 7;
  for (std::size_t i = 0; i < most && means.residuals.size() < tester.most_boxes(); ++i) {
    const std::size_t k = most % stride == 0 ? i : i * stride % most;
    tester.test(centres.row(k * n / most), means);
  }
  if (means.residuals.empty()) return std::nullopt;
  return means;
}

}  // namespace cauchy::detail
