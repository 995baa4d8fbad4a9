#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/math/difference.hpp>
#include <cauchy/problem/exact_solution.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/sampling/quadrature_points.hpp>

#include "problem/point_data.hpp"

namespace cauchy::test_problem_library {
namespace {

// The files of problems/ against their own references: a reference that is put into the equations,
// conditions and observations of its file must fulfil them. A wrong sign in a file is seen here.

const std::filesystem::path root = std::filesystem::path(CAUCHY_TEST_DATA) / ".." / "..";

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(root / "problems")) {
    if (entry.path().extension() == ".toml") all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// Those with one right answer. A shear layer of an inviscid gas has none that two grids agree on;
/// test_fvm.cpp looks at what it keeps.
std::vector<std::filesystem::path> graded_files() {
  std::vector<std::filesystem::path> all = files();
  std::erase_if(all, [](const auto& path) { return path.stem() == "kelvin_helmholtz"; });
  return all;
}

/// Weights of the derivative of given order at x from values at the nodes.
std::vector<double> stencil(const std::vector<double>& nodes, double x, int order) {
  const Matrix w = difference_weights(x, nodes, order);
  const auto row = w.row(static_cast<std::size_t>(order)).span();
  return {row.begin(), row.end()};
}

/// A file with its reference; one that gives none has a table of an independent program.
ProblemFile library_file(const std::filesystem::path& path) {
  ProblemFile file = read_problem_file(path);
  const auto table =
      root / "tests" / "data" / "references" / path.filename().replace_extension(".csv");
  if (file.problem.reference.empty() && std::filesystem::exists(table)) {
    file.problem.reference.table = read_csv(table);
  }
  return file;
}

/// What is true of a problem: reference fields, true constants, parameters.
class Truth final {
 public:
  enum class Kind { formulas, code, table };

  explicit Truth(const Problem& problem) : problem_(problem), columns_(problem.coordinates()) {
    for (const auto& [name, value] : problem.values()) constants_.set(Parameter(name), value);
    for (const Unknown& u : problem.unknowns) {
      if (u.truth) constants_.set(Parameter(u.name), *u.truth);
    }
    find_fields();
    if (problem.domain->space() != nullptr && kind_ == Kind::code) {
      const Points points = interior_points(domain_of(problem), 256);
      lower_.assign(columns_.size(), INFINITY);
      upper_.assign(columns_.size(), -INFINITY);
      for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t k = 0; k < columns_.size(); ++k) {
          lower_[k] = std::min(lower_[k], points.row(i)[k]);
          upper_[k] = std::max(upper_[k], points.row(i)[k]);
        }
      }
    }
  }

  [[nodiscard]] Kind kind() const { return kind_; }
  /// Formulas are right to rounding. Code and tables are differentiated by differences: tables of
  /// one variable have nine digits, those of two have five to six and coarse nodes, and a shock may
  /// lie between the points, so that there the median counts.
  [[nodiscard]] double tolerance() const {
    if (kind_ == Kind::formulas) return 1e-9;
    if (kind_ == Kind::code) return 1e-5;
    return columns_.size() == 1 ? 1e-4 : 5e-3;
  }

  /// Whether all fields of an expression have a reference.
  [[nodiscard]] bool knows(const Expr& e) const {
    const Expr roots[] = {e};
    for (const Expr& atom : field_atoms(roots)) {
      if (!known_.contains(atom.name())) return false;
    }
    return true;
  }

  /// |residual| at the points in units of its largest summand anywhere; for code and tables the
  /// median, for formulas the largest. A residual of one summand, u = 0, counts as it is.
  [[nodiscard]] double residual(const Equation& form, const Points& points) const {
    const Expr r = form.residual();
    const bool is_sum = r.kind() == cauchy::Kind::add;
    std::vector<Expr> terms = {r};
    if (is_sum) terms.insert(terms.end(), r.args().begin(), r.args().end());
    if (kind_ == Kind::formulas) {
      for (Expr& term : terms) term = substitute(term, fields_);
    }
    const Expr roots[] = {r};
    const std::vector<Expr> atoms = field_atoms(roots);
    std::vector<double> sizes;
    double largest = is_sum ? 1e-3 : 1;  // a sum of zeros stays a zero
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::vector<double> row(points.row(i).begin(), points.row(i).end());
      if (kind_ == Kind::table) snap(row);
      Values values = values_at(row, points, i);
      if (kind_ != Kind::formulas) {
        for (const Expr& atom : atoms) values.set(atom, derivative(atom, row));
      }
      const double value = evaluate(terms[0], values);
      sizes.push_back(std::isfinite(value) ? std::abs(value) : INFINITY);
      for (std::size_t k = 1; k < terms.size(); ++k) {
        largest = std::max(largest, std::abs(evaluate(terms[k], values)));
      }
    }
    std::sort(sizes.begin(), sizes.end());
    return (kind_ == Kind::formulas ? sizes.back() : sizes[sizes.size() / 2]) / largest;
  }

  /// An expression of the fields at one point.
  [[nodiscard]] double value(const Expr& e, std::vector<double> row) const {
    if (kind_ == Kind::table) snap(row);
    Values values = values_at(row, {}, 0);
    if (kind_ == Kind::formulas) return evaluate(substitute(e, fields_), values);
    const Expr roots[] = {e};
    for (const Expr& atom : field_atoms(roots)) values.set(atom, derivative(atom, row));
    return evaluate(e, values);
  }

 private:
  void find_fields() {
    const Reference& r = problem_.reference;
    if (!r.exact.empty()) {
      const ExactSolution& exact = exact_solution(r.exact);
      known_.insert(exact.fields.begin(), exact.fields.end());
      kind_ = exact.formulas.empty() ? Kind::code : Kind::formulas;
      if (kind_ == Kind::code) return;
      // Parameters of the solution: given, of the same name in the problem, or the default.
      const Context names = problem_.context();
      std::vector<Replacement> parameters;
      for (const ExactParameter& p : exact.parameters) {
        const auto given = r.parameters.find(p.name);
        if (given != r.parameters.end()) {
          parameters.push_back({Parameter(p.name), given->second});
        } else if (!names.declares(p.name)) {
          parameters.push_back({Parameter(p.name), Expr(p.value)});
        }
      }
      for (std::size_t k = 0; k < exact.fields.size(); ++k) {
        const Expr formula = parse(exact.formulas[k], exact.context());
        fields_.push_back({Field(exact.fields[k]), substitute(formula, parameters)});
      }
    } else if (!r.formulas.empty()) {
      for (const auto& [name, formula] : r.formulas) {
        known_.insert(name);
        fields_.push_back({Field(name), formula});
      }
    } else {
      kind_ = Kind::table;
      for (const std::string& f : problem_.all_fields()) {
        if (std::count(r.table.columns.begin(), r.table.columns.end(), f) > 0) known_.insert(f);
      }
      for (const std::string& c : columns_) {
        std::vector<double> axis = r.table.column(c);
        std::sort(axis.begin(), axis.end());
        axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
        axes_.push_back(axis);
      }
      std::vector<std::vector<double>> at;
      for (const std::string& c : columns_) at.push_back(r.table.column(c));
      for (const std::string& f : known_) {
        const std::vector<double> values = r.table.column(f);
        for (std::size_t i = 0; i < values.size(); ++i) {
          std::vector<double> row;
          for (const auto& c : at) row.push_back(c[i]);
          nodes_[f][row] = values[i];
        }
      }
    }
  }

  [[nodiscard]] Values values_at(const std::vector<double>& row, const Points& points,
                                 std::size_t i) const {
    Values values = constants_;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      values.set(Coordinate(columns_[k]), row[k]);
      values.set(Parameter(columns_[k]), row[k]);  // ranges
    }
    if (!points.normals.empty()) {
      const auto& space = problem_.domain->space()->coordinates();
      for (std::size_t k = 0; k < space.size(); ++k) {
        values.set(normal_component(space[k]), points.normals[i * space.size() + k]);
      }
    }
    return values;
  }

  /// The nearest node of the table; a point on a side of a box stays there.
  void snap(std::vector<double>& row) const {
    for (std::size_t k = 0; k < row.size(); ++k) {
      row[k] = *std::min_element(axes_[k].begin(), axes_[k].end(), [&](double a, double b) {
        return std::abs(a - row[k]) < std::abs(b - row[k]);
      });
    }
  }

  /// The value of a field at a point.
  [[nodiscard]] double sample(const std::string& field, const std::vector<double>& row) const {
    if (kind_ == Kind::table) return nodes_.at(field).at(row);
    const ExactSolution& exact = exact_solution(problem_.reference.exact);
    std::vector<double> point, values(exact.fields.size());
    for (const std::string& name : exact.coordinates) {
      point.push_back(row[static_cast<std::size_t>(
          std::find(columns_.begin(), columns_.end(), name) - columns_.begin())]);
    }
    code_for(exact, row)(point, values);
    return values[static_cast<std::size_t>(
        std::find(exact.fields.begin(), exact.fields.end(), field) - exact.fields.begin())];
  }

  /// The solution for the parameters at a point, which a range may change; made once for each.
  [[nodiscard]] const ExactEvaluator& code_for(const ExactSolution& exact,
                                               const std::vector<double>& row) const {
    const Values values = values_at(row, {}, 0);
    std::vector<double> parameters;
    for (const ExactParameter& p : exact.parameters) {
      const auto given = problem_.reference.parameters.find(p.name);
      const double* named = values.find(Parameter(p.name));
      parameters.push_back(given != problem_.reference.parameters.end()
                               ? evaluate(given->second, values)
                           : named != nullptr ? *named
                                              : p.value);
    }
    auto [it, is_new] = code_.try_emplace(parameters);
    if (is_new) it->second = exact.prepare(parameters);
    return it->second;
  }

  /// A field derivative by differences of eight nodes inside the domain.
  [[nodiscard]] double derivative(const Expr& atom, const std::vector<double>& row) const {
    if (atom.index().empty()) return sample(atom.name(), row);
    if (atom.index().size() != 1) throw std::logic_error("mixed derivative");
    const auto& [name, order] = atom.index()[0];
    const auto k = static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), name) -
                                            columns_.begin());
    constexpr std::size_t count = 8;
    std::vector<double> nodes;
    if (kind_ == Kind::table) {
      const auto& axis = axes_[k];
      const auto at = static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), row[k]) -
                                               axis.begin());
      const std::size_t first = std::min(at - std::min(at, count / 2), axis.size() - count);
      nodes.assign(axis.begin() + static_cast<std::ptrdiff_t>(first),
                   axis.begin() + static_cast<std::ptrdiff_t>(first + count));
    } else {
      const double h = 0.004 * (upper_[k] - lower_[k]);
      double first = row[k] - 3.5 * h;
      first = std::max(lower_edge(k), std::min(first, upper_edge(k) - 7 * h));
      for (std::size_t j = 0; j < count; ++j) nodes.push_back(first + static_cast<double>(j) * h);
      nodes.back() = std::min(nodes.back(), upper_edge(k));
    }
    const std::vector<double> weights = stencil(nodes, row[k], order);
    double sum = 0;
    std::vector<double> at = row;
    for (std::size_t j = 0; j < count; ++j) {
      at[k] = nodes[j];
      sum += weights[j] * sample(atom.name(), at);
    }
    return sum;
  }

  [[nodiscard]] double lower_edge(std::size_t k) const {
    const Time* time = problem_.domain->time();
    return time != nullptr && k == 0
               ? time->lower
               : domain_of(problem_).shape(ranges())->bounds().lower[k - (time != nullptr)];
  }
  [[nodiscard]] double upper_edge(std::size_t k) const {
    const Time* time = problem_.domain->time();
    return time != nullptr && k == 0
               ? time->upper
               : domain_of(problem_).shape(ranges())->bounds().upper[k - (time != nullptr)];
  }
  [[nodiscard]] std::vector<double> ranges() const {
    std::vector<double> middle;
    for (const Range& r : problem_.domain->ranges()) middle.push_back((r.lower + r.upper) / 2);
    return middle;
  }

  const Problem& problem_;
  std::vector<std::string> columns_;
  Values constants_;
  Kind kind_ = Kind::formulas;
  std::set<std::string> known_;
  std::vector<Replacement> fields_;
  std::vector<std::vector<double>> axes_;
  std::map<std::string, std::map<std::vector<double>, double>> nodes_;
  std::vector<double> lower_, upper_;
  mutable std::map<std::vector<double>, ExactEvaluator> code_;
};

SamplerOptions random_points(std::uint64_t seed) {
  SamplerOptions options{SamplerKind::uniform};
  options.seed = seed;
  return options;
}

/// Both ends of a periodic coordinate have the same values; the same slopes where they are known.
void expect_periodic(const Problem& p, const Truth& truth, const Condition& c, Points points) {
  const auto names = p.coordinates();
  const auto k =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), c.coordinate) - names.begin());
  const Bounds box = domain_of(p).shape()->bounds();
  const std::size_t axis = k - (p.domain->time() != nullptr ? 1 : 0);
  const double tolerance = truth.kind() == Truth::Kind::table ? 1e-4 : truth.tolerance();
  for (const std::string& field : p.fields) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::vector<double> low(points.row(i).begin(), points.row(i).end()), high = low;
      low[k] = box.lower[axis];
      high[k] = box.upper[axis];
      for (int order = 0; order <= (truth.kind() == Truth::Kind::formulas ? c.order : 0); ++order) {
        const Expr u = d_n(Field(field), Coordinate(c.coordinate), order);
        EXPECT_NEAR(truth.value(u, low), truth.value(u, high), tolerance)
            << to_string(u) << " is not periodic in " << c.coordinate;
      }
    }
  }
}

/// The integral of the left side at some times.
void expect_integral(const Problem& p, const Truth& truth, const Condition& c) {
  ASSERT_EQ(c.where, "domain");
  const Points nodes = gauss_points(Domain(*p.domain->space()).with(p.values()), 20);
  const Time* time = p.domain->time();
  for (const double share : {0.0, 0.3, 1.0}) {
    double sum = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::vector<double> row(nodes.row(i).begin(), nodes.row(i).end());
      if (time != nullptr) {
        row.insert(row.begin(), time->lower + share * (time->upper - time->lower));
      }
      sum += nodes.weights[i] * truth.value(c.form.residual(), row);
    }
    // 20 nodes per axis integrate the smooth references to rounding.
    EXPECT_LT(std::abs(sum), 1e-9) << "integral of " << to_string(c.form.left);
  }
}

void expect_conditions(const Problem& p, const Truth& truth, std::size_t n) {
  for (const Condition& c : p.condition) {
    SCOPED_TRACE("condition '" + name_of(c) + "'");
    if (c.kind == Condition::Kind::periodic) {
      expect_periodic(p, truth, c, interior_points(domain_of(p), 10, random_points(3)));
      continue;
    }
    if (!truth.knows(c.form.residual())) continue;
    if (c.kind == Condition::Kind::integral) {
      expect_integral(p, truth, c);
      continue;
    }
    if (c.kind == Condition::Kind::point) {
      std::vector<double> row;
      for (const std::string& name : p.coordinates()) {
        for (const auto& [coordinate, value] : c.point) {
          if (coordinate == name) row.push_back(value);
        }
      }
      EXPECT_LT(std::abs(truth.value(c.form.residual(), row)), truth.tolerance());
      continue;
    }
    const double residual = truth.residual(c.form, condition_points(p, c, n, random_points(2)));
    EXPECT_LT(residual, truth.tolerance()) << to_string(c.form) << " on " << c.where;
  }
}

/// Observed values are rounded to six digits or more, or have the noise that the file says: then
/// the root mean square over its sigma is 1 within 4 / sqrt(2 n), and no value is off by 5 sigma.
void expect_observations(const Problem& p, const Truth& truth) {
  for (const Observation& o : p.observation) {
    const std::vector<double> observed = o.table.column(o.column);
    std::vector<std::vector<double>> columns;
    for (const std::string& name : p.coordinates()) columns.push_back(o.table.column(name));
    const std::vector<double> noise = detail::noise_of(o);
    double largest = 0, squares = 0;
    for (std::size_t i = 0; i < observed.size(); ++i) {
      std::vector<double> row;
      for (const auto& column : columns) row.push_back(column[i]);
      const double unit = noise.empty() ? 1 : noise[i];
      const double off = (truth.value(o.quantity, row) - observed[i]) / unit;
      largest = std::max(largest, std::abs(off));
      squares += off * off;
    }
    EXPECT_LT(largest, noise.empty() ? 2e-6 : 5) << "observation '" << o.name << "'";
    if (noise.empty()) continue;
    const auto n = static_cast<double>(noise.size());
    EXPECT_NEAR(std::sqrt(squares / n), 1, 4 / std::sqrt(2 * n))
        << "observation '" << o.name << "'";
  }
}

class ProblemLibrary : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ProblemLibrary, HasSourceToleranceAndReference) {
  const ProblemFile file = library_file(GetParam());
  const Problem& p = file.problem;
  EXPECT_EQ(p.name, GetParam().stem().string());
  EXPECT_FALSE(p.title.empty());
  EXPECT_FALSE(p.source.empty());
  EXPECT_FALSE(p.reference.empty());
  ASSERT_TRUE(p.tolerance.has_value());
  EXPECT_GE(*p.tolerance, 1e-6);
  EXPECT_LE(*p.tolerance, 0.05);
  check(p);
}

/// What a file says is the problem. Methods that a file is about are classical ones, or variational
/// networks, whose published settings it repeats.
TEST_P(ProblemLibrary, LeavesWeightsSizesAndStagesToTheMethod) {
  ProblemFile file = read_problem_file(GetParam());
  const Problem& p = file.problem;
  EXPECT_TRUE(p.sizes.empty());
  for (const ProblemEquation& e : p.equation) EXPECT_TRUE(e.weight.is_constant(1)) << e.name;
  for (const Condition& c : p.condition) EXPECT_TRUE(c.weight.is_constant(1)) << name_of(c);
  for (const Observation& o : p.observation) EXPECT_EQ(o.weight, 1) << o.name;
  if (!training_settings(file.method)) return;
  const std::string method = name_of(file.method);
  if (method == "ritz" || method == "hp_vpinn") return;
  ASSERT_EQ(method, "auto");
  EXPECT_TRUE(std::get<Auto>(file.method).stages.empty());
}

/// Scattered points cannot be differentiated: test_fem_flows.cpp solves that file and compares.
TEST_P(ProblemLibrary, IsSolvedByItsReference) {
  if (GetParam().stem() == "backward_step") return;
  const ProblemFile file = library_file(GetParam());
  const Problem& p = file.problem;
  const Truth truth(p);
  // A reference by code costs more; a high-dimensional formula too.
  const std::size_t n = truth.kind() == Truth::Kind::formulas ? 200 : 60;
  int checked = 0;
  for (const ProblemEquation& e : p.equation) {
    if (!truth.knows(e.form.residual())) continue;
    ++checked;
    const double residual =
        truth.residual(e.form, interior_points(domain_of(p), n, random_points(1)));
    EXPECT_LT(residual, truth.tolerance()) << "equation " << to_string(e.form);
  }
  EXPECT_GT(checked, 0) << "no equation could be checked";
  expect_conditions(p, truth, n);
  expect_observations(p, truth);
}

TEST_P(ProblemLibrary, ReadsBackAsItWasWritten) {
  const ProblemFile file = read_problem_file(GetParam());
  const std::string text = to_toml(file);
  EXPECT_EQ(to_toml(parse_problem_file(text, "written", GetParam().parent_path())), text);
}

INSTANTIATE_TEST_SUITE_P(Files, ProblemLibrary, ::testing::ValuesIn(graded_files()),
                         [](const auto& param_info) { return param_info.param.stem().string(); });

TEST(ProblemLibraryList, HasAtLeastSeventyFilesAndNamesEachOnItsPage) {
  const auto all = files();
  EXPECT_GE(all.size(), 70U);
  std::ifstream page(root / "docs" / "problems.md");
  std::stringstream text;
  text << page.rdbuf();
  for (const auto& file : all) {
    EXPECT_NE(text.str().find('`' + file.stem().string() + '`'), std::string::npos)
        << file.stem() << " is not in docs/problems.md";
  }
}

/// The check above must be able to fail: a sign of the equation is changed.
TEST(ProblemLibraryList, SeesAWrongSign) {
  for (const char* name :
       {"wave", "string_dirichlet", "sir", "allen_cahn", "kuramoto_sivashinsky"}) {
    ProblemFile file = library_file(root / "problems" / (std::string(name) + ".toml"));
    const Problem& p = file.problem;
    const Truth truth(p);
    const Equation& right = p.equation[0].form;
    // The first summand that has a field, with the other sign.
    const Expr r = right.residual();
    const auto first = std::find_if(r.args().begin(), r.args().end(),
                                    [](const Expr& term) { return order(term) > 0; });
    const Equation wrong{r - 2 * *first, Expr(0)};
    const Points points = interior_points(domain_of(p), 40, random_points(1));
    EXPECT_LT(truth.residual(right, points), truth.tolerance()) << name;
    EXPECT_GT(truth.residual(wrong, points), truth.tolerance()) << name;
  }
}

}  // namespace
}  // namespace cauchy::test_problem_library
