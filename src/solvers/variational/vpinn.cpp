// Variational networks: weak forms against test functions as terms of a loss.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/geometry/make_mesh.hpp>
#include <cauchy/problem/weak_problem.hpp>

#include "problem/point_data.hpp"
#include "problem/point_evaluator.hpp"
#include "solvers/variational/prepared_variational.hpp"
#include "solvers/variational/test_space.hpp"
#include "solvers/variational/trial.hpp"

namespace cauchy::detail {
namespace {

constexpr std::string_view vpinn_place = "[solvers.vpinn]";

/// vpinn and hp_vpinn as one.
struct TestSettings {
  std::string name;
  bool chosen = true;  ///< the family is given; else it follows from the region
  TestFunctions functions;
  std::vector<double> elements = {1};
  int parts = 1;
  TestNorm norm = TestNorm::h1;
  std::size_t quadrature = 0;
  std::string text;  ///< all options
};

template <class Settings>
TestSettings common_settings(std::string name, TestFamily family, const Settings& m) {
  TestSettings s{
      .name = std::move(name),
      .functions = {.family = family, .count = m.tests, .alpha = m.alpha, .beta = m.beta},
      .parts = m.parts,
      .norm = m.norm,
      .quadrature = m.quadrature,
      .text = {}};
  s.text = fmt::format("{} {} {} {} {} {} {} ", static_cast<int>(family), m.tests, m.parts,
                       static_cast<int>(m.norm), m.quadrature, m.alpha, m.beta);
  return s;
}

TestSettings settings_of(const Vpinn& m) {
  TestSettings s = common_settings("vpinn", m.family.value_or(TestFamily::legendre), m);
  s.chosen = m.family.has_value();
  s.functions.vanish = m.vanish;
  s.text += fmt::format("{} {}\n", m.vanish, s.chosen);
  return s;
}

TestSettings settings_of(const HpVpinn& m) {
  TestSettings s = common_settings("hp_vpinn", m.family, m);
  s.elements = m.elements;
  s.functions.vertices = m.vertices;
  s.functions.degree = m.degree;
  s.text += fmt::format("{} {}", m.vertices, m.degree);
  for (const double n : m.elements) s.text += fmt::format(" {}", n);
  s.text += "\n";
  return s;
}

void check_settings(const TestSettings& s) {
  const auto require = [](bool good, const std::string& message) {
    if (!good) throw Error(message, std::string(vpinn_place));
  };
  require(s.parts >= 0 && s.parts <= 2, fmt::format("'parts' is 0, 1 or 2, got {}", s.parts));
  require(!s.elements.empty(), "'elements' needs at least one number");
  for (const double n : s.elements) {
    require(n >= 1 && n == std::floor(n) && n <= 1e6,
            fmt::format("'elements' are whole numbers of at least 1, got {}", n));
  }
}

/// Ends of an axis of a box, and whether it is one of space.
struct TestAxis {
  double lower, upper;
  bool space;
};

/// The domain of test functions; of a region that is no box `axes` are those of the box around it.
struct TestDomain {
  std::vector<TestAxis> axes;
  ShapePtr shape;  ///< null: no space
  bool box = true;

  [[nodiscard]] std::vector<std::size_t> space() const {
    std::vector<std::size_t> found;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (axes[a].space) found.push_back(a);
    }
    return found;
  }
};

TestDomain test_domain(const Problem& problem) {
  const Domain domain = domain_of(problem);
  TestDomain out;
  std::vector<TestAxis>& axes = out.axes;
  if (const Time* t = domain.time()) axes.push_back({t->lower, t->upper, false});
  if (domain.space() != nullptr) {
    if (domain.shape_varies()) {
      throw Error(ErrorKind::unsupported,
                  "test functions need a fixed region, and the shape depends on a range",
                  std::string(vpinn_place), "use pinn");
    }
    std::vector<double> values;
    for (const Range& r : domain.ranges()) values.push_back(r.lower);
    const ShapePtr shape = domain.shape(values);
    const Bounds& box = shape->bounds();
    double volume = 1;
    for (std::size_t k = 0; k < shape->dimension(); ++k) volume *= box.upper[k] - box.lower[k];
    out.shape = shape;
    out.box = std::abs(shape->measure() - volume) <= 1e-12 * volume &&
              shape->pieces().size() == 2 * shape->dimension();
    for (std::size_t k = 0; k < shape->dimension(); ++k) {
      axes.push_back({box.lower[k], box.upper[k], true});
    }
  }
  for (const Range& r : domain.ranges()) axes.push_back({r.lower, r.upper, false});
  return out;
}

/// Makes the term of the test functions.
class TestBuilder final {
 public:
  TestBuilder(const Problem& problem, const Pinn& trial, const TestSettings& settings)
      : problem_(problem),
        settings_(settings),
        lower_(problem),
        sizes_(characteristic_sizes(problem, lower_, trial.scale)),
        scaled_(trial.scale),
        domain_(test_domain(problem)) {
    check_settings(settings_);
  }

  /// In place of the terms of the equations.
  void replace(PinnLoss& loss) const {
    const bool mesh = !domain_.box;
    if (mesh) require_hats();
    const std::vector<std::vector<WeakColumn>> rows = columns();
    std::string what = "test functions";
    TestSpace made = mesh ? on_mesh(rows, what) : on_box(rows);
    PinnTerm term = term_of(made, rows);
    loss.remarks.push_back(fmt::format("{} {} per equation, {} nodes of quadrature",
                                       made.n_functions, what, made.points.size()));
    std::erase_if(loss.terms,
                  [](const PinnTerm& t) { return t.kind == PointSource::Kind::equation; });
    loss.terms.insert(loss.terms.begin(), std::move(term));
  }

 private:
  [[nodiscard]] int norm() const {
    const int order = settings_.norm == TestNorm::none ? -1
                      : settings_.norm == TestNorm::l2 ? 0
                                                       : 1;
    return domain_.shape == nullptr ? std::min(order, 0) : order;
  }

  [[nodiscard]] TestSpace on_box(const std::vector<std::vector<WeakColumn>>& rows) const {
    std::vector<TabulatedTests> tests;
    double volume = 1;
    for (std::size_t a = 0; a < domain_.axes.size(); ++a) {
      tests.push_back(axis_tests(settings_.functions, a, settings_.quadrature));
      volume *= domain_.axes[a].upper - domain_.axes[a].lower;
    }
    TestSpace made = product_space(problem_.coordinates(), tests, domain_.space(), rows, norm());
    scale(volume, made.sums);
    return made;
  }

  /// Regions that are no boxes have no products of functions of one coordinate.
  void require_hats() const {
    if (settings_.name == "hp_vpinn") {
      throw Error(ErrorKind::unsupported, "hp_vpinn cuts boxes, and the region is none",
                  std::string(vpinn_place), "use vpinn, whose test functions are those of a mesh");
    }
    if (settings_.chosen && settings_.functions.family != TestFamily::hat) {
      throw Error(ErrorKind::unsupported,
                  "products of test functions need a box, and the region is none",
                  std::string(vpinn_place), "use family = \"hat\", the hat functions of a mesh");
    }
  }

  /// Hats of a mesh of space, Legendre polynomials of time and ranges.
  [[nodiscard]] TestSpace on_mesh(const std::vector<std::vector<WeakColumn>>& rows,
                                  std::string& what) const {
    const std::size_t n = count_of(settings_.functions);
    double longest = 0;
    std::vector<TabulatedTests> tests(domain_.axes.size());
    for (std::size_t a = 0; a < domain_.axes.size(); ++a) {
      const TestAxis& axis = domain_.axes[a];
      if (axis.space) {
        longest = std::max(longest, axis.upper - axis.lower);
      } else {
        tests[a] = axis_tests({.family = TestFamily::legendre, .count = n}, a, 0);
      }
    }
    const MeshOptions options{.size = longest / static_cast<double>(n + 1)};
    const std::size_t order = settings_.quadrature == 0 ? 3 : settings_.quadrature;
    const auto d = static_cast<double>(domain_.shape->dimension());
    double summands =
        expected_cells(*domain_.shape, options) * (d + 1) * std::pow(static_cast<double>(order), d);
    std::size_t n_columns = 0;
    for (const auto& row : rows) n_columns += row.size();
    summands *= static_cast<double>(n_columns);
    for (const TabulatedTests& axis : tests) {
      if (axis.nodes.empty()) continue;
      summands *= static_cast<double>(axis.nodes.size() * axis.functions.size());
    }
    require_summands(summands);
    const Mesh mesh = mesh_of(options);
    TestSpace made = mesh_space(problem_.coordinates(), mesh, tests, domain_.space(), rows, norm(),
                                settings_.functions.vanish, order);
    double volume = mesh.measure();
    for (const TestAxis& axis : domain_.axes) {
      if (!axis.space) volume *= axis.upper - axis.lower;
    }
    scale(volume, made.sums);
    what = fmt::format("hat functions of a mesh of {} cells", mesh.n_cells());
    return made;
  }

  [[nodiscard]] Mesh mesh_of(const MeshOptions& options) const {
    try {
      return make_mesh(domain_.shape, options);
    } catch (const Error& e) {
      throw Error(e.kind(), e.message(), std::string(vpinn_place), "use more tests");
    }
  }

  /// Functions along an axis.
  [[nodiscard]] std::size_t count_of(const TestFunctions& f) const {
    static constexpr std::array<std::size_t, 4> automatic = {60, 15, 6, 4};
    if (f.count > 0) return f.count;
    return automatic[std::min<std::size_t>(domain_.axes.size(), 4) - 1];
  }

  /// One sum per test function. Columns without fields are numbers, the targets of the sums; of the
  /// others each has points of its own, told apart by the value that comes with a point.
  [[nodiscard]] PinnTerm term_of(const TestSpace& made,
                                 const std::vector<std::vector<WeakColumn>>& rows) const {
    std::vector<Expr> all;
    for (const auto& row : rows) {
      for (const WeakColumn& column : row) all.push_back(column.e);
    }
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> selected(all.size(), none);  // number among the columns with fields
    std::vector<Expr> with_fields;
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (field_atoms({&all[c], 1}).empty() && atoms({&all[c], 1}, Kind::parameter).empty()) {
        continue;
      }
      selected[c] = with_fields.size();
      with_fields.push_back(all[c]);
    }
    const std::vector<std::vector<double>> known = PointEvaluator(problem_)(
        [&] {
          std::vector<Expr> numbers;
          for (std::size_t c = 0; c < all.size(); ++c) {
            numbers.push_back(selected[c] == none ? all[c] : Expr(0));
          }
          return numbers;
        }(),
        made.points);
    PinnTerm term;
    Points points;
    points.columns = made.points.columns;
    Groups groups{.offsets = {0}, .points = {}, .weights = {}};
    std::vector<std::size_t> place(made.n_columns * made.points.size(), none);
    for (std::size_t g = 0; g < made.sums.size(); ++g) {
      double target = 0;
      for (std::size_t i = made.sums.offsets[g]; i < made.sums.offsets[g + 1]; ++i) {
        const std::size_t at = made.sums.points[i], p = at / made.n_columns,
                          c = at % made.n_columns;
        if (selected[c] == none) {
          target -= made.sums.weights[i] * known[c][p];
          continue;
        }
        if (place[at] == none) {
          place[at] = points.size();
          const auto row = made.points.row(p);
          points.values.insert(points.values.end(), row.begin(), row.end());
          term.observed.push_back(static_cast<double>(selected[c]));
        }
        groups.points.push_back(place[at]);
        groups.weights.push_back(made.sums.weights[i]);
      }
      groups.offsets.push_back(groups.points.size());
      groups.targets.push_back(target);
    }
    if (with_fields.empty()) {
      throw Error(ErrorKind::unsupported, "the weak form holds no field", std::string(vpinn_place),
                  "use parts = 0 or 1");
    }
    Expr selection = with_fields.back();
    for (std::size_t k = with_fields.size() - 1; k-- > 0;) {
      selection =
          where(observed_symbol() < static_cast<double>(k) + 0.5, with_fields[k], selection);
    }
    term.kind = PointSource::Kind::equation;
    term.redrawn = false;
    term.term.name = problem_.equation.size() == 1
                         ? name_of(problem_.equation[0])
                         : fmt::format("{} equations", problem_.equation.size());
    term.term.residuals = {selection};
    term.parts = {{term.term.name, 1}};
    term.term.data = data_of(term.term.residuals);
    // Sums of squares over the functions, or their mean.
    const auto n = static_cast<double>(made.n_functions), n_rows = static_cast<double>(rows.size());
    term.term.weight = settings_.norm == TestNorm::none ? n_rows : n * n_rows;
    term.n = points.size();
    term.groups = std::move(groups);
    term.draw = [points = std::move(points)](std::size_t, const SamplerOptions&) { return points; };
    return term;
  }

  [[nodiscard]] TabulatedTests axis_tests(TestFunctions f, std::size_t a, std::size_t q) const {
    const std::vector<TestAxis>& axes = domain_.axes;
    const std::size_t k = std::min(a, settings_.elements.size() - 1);
    if (settings_.elements.size() > 1 && settings_.elements.size() != axes.size()) {
      throw Error(fmt::format("'elements' has {} numbers for {} axes", settings_.elements.size(),
                              axes.size()),
                  std::string(vpinn_place), "give one number, or one per coordinate");
    }
    f.elements = static_cast<std::size_t>(settings_.elements[k]);
    f.count = count_of(f);
    // Derivatives by time and by ranges are not moved, so nothing has to vanish there.
    if (!axes[a].space) f.vanish = false;
    if (settings_.name == "vpinn") {
      if (f.family == TestFamily::spline || f.family == TestFamily::hat) {
        f.elements = f.vanish ? f.count + 2 - (f.family == TestFamily::hat ? 1 : f.degree)
                              : f.count - (f.family == TestFamily::hat ? 1 : f.degree);
        if (f.elements == 0 || f.elements > f.count + 2) {
          throw Error("there are too few splines for their degree", std::string(vpinn_place),
                      "use more tests");
        }
        q = q == 0 ? 0 : std::max<std::size_t>(1, q / f.elements);
      } else if (q == 0) {
        q = 2 * f.count + 10;
      }
    }
    return tabulate(f, axes[a].lower, axes[a].upper, q);
  }

  /// Residuals of equations in units of their size, as columns.
  [[nodiscard]] std::vector<std::vector<WeakColumn>> columns() const {
    const Problem& problem = problem_;
    std::vector<std::vector<WeakColumn>> rows;
    if (settings_.parts == 0) {
      for (const ProblemEquation& e : problem.equation) {
        if (!e.where.empty()) {
          throw Error(ErrorKind::unsupported,
                      fmt::format("equation '{}' holds on a part of the domain", name_of(e)),
                      std::string(vpinn_place), "use parts = 1, or pinn");
        }
        rows.push_back({{lower_(e.form.residual()) * factor(e)}});
      }
      return rows;
    }
    const WeakForm weak = weak_form(problem);  // conditions are terms of the loss
    if (!weak.auxiliary.empty()) {
      throw Error(ErrorKind::unsupported,
                  "equations of this order have a weak form with auxiliary fields only",
                  std::string(vpinn_place), "use parts = 0");
    }
    for (const WeakRow& row : weak.rows) {
      std::vector<WeakColumn> list = weak_columns(weak, row, settings_.parts == 2);
      const ProblemEquation& equation = problem.equation[row.equation];
      for (WeakColumn& c : list) c.e = c.e * factor(equation);
      rows.push_back(std::move(list));
    }
    return rows;
  }

  /// Root of the weight of an equation over its size.
  [[nodiscard]] double factor(const ProblemEquation& e) const {
    const Expr weight = lower_(e.weight);
    if (!weight.is_constant()) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("the weight of equation '{}' is no number", name_of(e)),
                  std::string(vpinn_place), "test functions weigh the places; use a number");
    }
    const double size = scaled_ ? residual_size(lower_(e.form.residual()), problem_, sizes_) : 1;
    return std::sqrt(weight.value()) / size;
  }

  /// Sums become numbers of order one for residuals of size one.
  void scale(double volume, Groups& groups) const {
    double length = INFINITY;
    for (const TestAxis& axis : domain_.axes) {
      if (axis.space) length = std::min(length, (axis.upper - axis.lower) / 2);
    }
    if (std::isinf(length) || settings_.norm != TestNorm::h1) length = 1;
    const double size = settings_.norm == TestNorm::none ? volume : length * std::sqrt(volume);
    for (double& w : groups.weights) w /= size;
  }

  const Problem& problem_;
  const TestSettings& settings_;
  Lowering lower_;
  Sizes sizes_;
  bool scaled_;
  TestDomain domain_;
};

template <class Settings>
VariationalNetwork tested_network(std::shared_ptr<const Problem> problem, const Settings& method) {
  const TestSettings settings = settings_of(method);
  check_trial(method.trial, settings.name, false);
  const Problem& p = *problem;
  const TestBuilder builder(p, method.trial, settings);
  VariationalNetwork out{settings.name, {std::move(problem), method.trial}, settings.text};
  out.strong = settings.parts == 0;
  builder.replace(out.pinn.loss);
  return out;
}

}  // namespace

VariationalNetwork variational_network(std::shared_ptr<const Problem> problem,
                                       const Vpinn& method) {
  return tested_network(std::move(problem), method);
}

VariationalNetwork variational_network(std::shared_ptr<const Problem> problem,
                                       const HpVpinn& method) {
  return tested_network(std::move(problem), method);
}

}  // namespace cauchy::detail
