// Answers of elements against smooth test functions.
#include "solvers/fem/fem_tests.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/problem/weak_problem.hpp>
#include <cauchy/sampling/domain_points.hpp>

#include "problem/lowering.hpp"
#include "solvers/fem/fem_system.hpp"

namespace cauchy::detail {
namespace {

/// The support of a test function.
struct TestBall {
  std::array<double, 3> centre{};
  double radius = 0;
  std::ptrdiff_t condition = -1;  // of the weak problem, that its centre lies on; -1: inside
};

/// Fewer cells, or sides, in a ball say nothing.
constexpr std::size_t least_inside[] = {0, 4, 10, 20}, least_beside[] = {0, 4, 24, 48},
                      least_sides[] = {0, 1, 4, 6};
constexpr std::size_t most_inside = 48, most_beside = 16;
constexpr double largest_radius = 0.25;  // of the longest side of the region

class ElementTester {
 public:
  explicit ElementTester(const FemTestInput& in)
      : in_(in),
        mesh_(in.mesh.mesh),
        d_(static_cast<std::size_t>(mesh_.dimension)),
        weak_(weak_problem(in.problem)),
        rule_(simplex_rule(mesh_.dimension, 5)),
        side_rule_(simplex_rule(mesh_.dimension - 1, 5)) {
    for (std::size_t c = 0; c < mesh_.n_cells(); ++c) {
      std::array<double, 3> centre{};
      for (const Mesh::Index node : mesh_.cell(c)) {
        for (std::size_t k = 0; k < d_; ++k) {
          centre[k] += mesh_.node(node)[k] / static_cast<double>(d_ + 1);
        }
      }
      double reach = 0;
      for (const Mesh::Index node : mesh_.cell(c)) {
        reach = std::max(reach, away(mesh_.node(node), centre.data()));
      }
      centres_.push_back(centre);
      reaches_.push_back(reach);
    }
  }

  FemTestResult run() {
    FemTestResult result;
    result.equations.resize(in_.problem.equation.size());
    result.conditions.resize(in_.problem.condition.size());
    if (!make_programs()) return result;
    find_facets_of_conditions();
    add_inner_balls();
    add_outer_balls();
    for (const double t : in_.times) {
      make_values(t);
      for (const TestBall& ball : balls_) test(ball, t, result);
      compare_auxiliary(t, result);
    }
    const auto drop_empty = [](std::vector<std::optional<WeakMeans>>& list) {
      for (auto& m : list) {
        if (m && m->residuals.empty()) m.reset();
      }
    };
    drop_empty(result.equations);
    drop_empty(result.conditions);
    return result;
  }

 private:
  struct Atom {
    std::size_t field = 0;
    int rate = 0, slope = -1;
  };
  struct Row {
    std::size_t first_source = 0, n_sources = 0, first_flux = 0;
  };
  struct Natural {
    std::unique_ptr<FemProgram> program;  // of the value; null: it is 0
    std::vector<Atom> atoms;
    std::vector<std::uint32_t> facets;
  };

  [[nodiscard]] double away(const double* a, const double* b) const {
    double sum = 0;
    for (std::size_t k = 0; k < d_; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return std::sqrt(sum);
  }

  /// False: something in the form is beyond what is tested here.
  bool make_programs() {
    for (const ProblemEquation& e : in_.problem.equation) {
      if (!e.where.empty()) return false;
    }
    for (const WeakCondition& c : weak_.conditions) {
      if (c.role == WeakCondition::Role::interface && !c.value.is_constant(0)) return false;
    }
    std::vector<Expr> outputs;
    for (const WeakRow& row : weak_.form.rows) {
      Row r;
      r.first_source = outputs.size();
      for (const Expr& term : additive_terms(plain(row.source))) outputs.push_back(term);
      r.n_sources = outputs.size() - r.first_source;
      r.first_flux = outputs.size();
      for (const Expr& flux : row.flux) outputs.push_back(plain(flux));
      rows_.push_back(r);
    }
    program_ = std::make_unique<FemProgram>(in_.problem, std::move(outputs));
    return read_atoms(*program_, atoms_);
  }

  bool read_atoms(const FemProgram& program, std::vector<Atom>& atoms) {
    for (const Expr& atom : program.atoms()) {
      Atom a;
      const auto field = std::find(in_.fields.begin(), in_.fields.end(), atom.name());
      if (field == in_.fields.end()) return false;
      a.field = static_cast<std::size_t>(field - in_.fields.begin());
      for (const auto& [name, order] : atom.index()) {
        bool of_space = false;
        for (std::size_t k = 0; k < d_; ++k) {
          if (weak_.form.space[k].name() != name) continue;
          if (order > 1 || a.slope >= 0) return false;
          a.slope = static_cast<int>(k);
          of_space = true;
        }
        if (!of_space) a.rate = order;
      }
      wanted_.emplace(a.field, a.rate);
      atoms.push_back(a);
    }
    return true;
  }

  void find_facets_of_conditions() {
    for (const WeakCondition& c : weak_.conditions) {
      Natural& n = naturals_.emplace_back();
      const bool boundary =
          c.role == WeakCondition::Role::essential || c.role == WeakCondition::Role::natural;
      if (!boundary) continue;
      n.facets = facets_of(in_.problem, mesh_, part_of(in_.problem, c));
      if (c.role != WeakCondition::Role::natural || c.value.is_constant(0)) continue;
      n.program = std::make_unique<FemProgram>(in_.problem, std::vector{plain(c.value)});
      if (!read_atoms(*n.program, n.atoms)) n.facets.clear();
    }
  }

  void add_inner_balls() {
    const Domain domain = domain_of(in_.problem);
    const ShapePtr shape = domain.shape();
    for (std::size_t k = 0; k < d_; ++k) {
      longest_ = std::max(longest_, shape->bounds().upper[k] - shape->bounds().lower[k]);
    }
    const Points points = interior_points(domain, 4 * most_inside);
    for (std::size_t i = 0; i < points.size() && balls_.size() < most_inside; ++i) {
      TestBall ball;
      std::copy_n(&points.row(i)[domain.space_column()], d_, ball.centre.begin());
      ball.radius = std::min(largest_radius * longest_, 0.95 * shape->distance(ball.centre.data()));
      if (enough_cells(ball)) balls_.push_back(ball);
    }
  }

  [[nodiscard]] bool enough_cells(const TestBall& ball) const {
    const std::size_t least = ball.condition < 0 ? least_inside[d_] : least_beside[d_];
    std::size_t count = 0;
    for (std::size_t c = 0; c < centres_.size() && count < least; ++c) {
      if (away(centres_[c].data(), ball.centre.data()) + reaches_[c] < ball.radius) ++count;
    }
    return count >= least;
  }

  [[nodiscard]] std::array<double, 3> middle_of(std::uint32_t facet) const {
    std::array<double, 3> middle{};
    for (const Mesh::Index node : mesh_.facet(facet)) {
      for (std::size_t k = 0; k < d_; ++k) {
        middle[k] += mesh_.node(node)[k] / static_cast<double>(d_);
      }
    }
    return middle;
  }

  /// Around points where a flux is given, as far as no value of its row's field is.
  void add_outer_balls() {
    for (std::size_t k = 0; k < weak_.conditions.size(); ++k) {
      const WeakCondition& c = weak_.conditions[k];
      if (c.role != WeakCondition::Role::natural || naturals_[k].facets.empty()) continue;
      std::vector<std::array<double, 4>> forbidden;  // place and reach
      const auto forbid = [&](std::uint32_t facet) {
        const std::array<double, 3> m = middle_of(facet);
        double reach = 0;
        for (const Mesh::Index node : mesh_.facet(facet)) {
          reach = std::max(reach, away(mesh_.node(node), m.data()));
        }
        forbidden.push_back({m[0], m[1], m[2], reach});
      };
      bool periodic = false;
      for (std::size_t j = 0; j < weak_.conditions.size(); ++j) {
        const WeakCondition& other = weak_.conditions[j];
        periodic = periodic || other.role == WeakCondition::Role::periodic;
        if (other.role != WeakCondition::Role::essential || other.row != c.row) continue;
        for (const std::uint32_t f : naturals_[j].facets) forbid(f);
      }
      if (periodic) {  // sides without a condition belong together
        std::vector<char> known(mesh_.n_facets(), 0);
        for (const Natural& n : naturals_) {
          for (const std::uint32_t f : n.facets) known[f] = 1;
        }
        for (std::uint32_t f = 0; f < known.size(); ++f) {
          if (!known[f]) forbid(f);
        }
      }
      const std::vector<std::uint32_t>& facets = naturals_[k].facets;
      const std::size_t stride = std::max<std::size_t>(1, facets.size() / most_beside);
      for (std::size_t i = stride / 2; i < facets.size(); i += stride) {
        TestBall ball;
        ball.condition = static_cast<std::ptrdiff_t>(k);
        ball.centre = middle_of(facets[i]);
        ball.radius = largest_radius * longest_;
        for (const auto& f : forbidden) {
          ball.radius = std::min(ball.radius, away(f.data(), ball.centre.data()) - f[3]);
        }
        if (enough_cells(ball)) balls_.push_back(ball);
      }
    }
  }

  void make_values(double t) {
    values_.clear();
    for (const auto& [field, rate] : wanted_) {
      values_[{field, rate}] = in_.values(field, rate, t);
    }
  }

  /// Value and slopes of the test function of a ball.
  double test_value(const TestBall& ball, const double* x, double* slope) const {
    const double r2 = ball.radius * ball.radius;
    double s = 1;
    for (std::size_t k = 0; k < d_; ++k) {
      s -= (x[k] - ball.centre[k]) * (x[k] - ball.centre[k]) / r2;
    }
    if (!(s > 0)) {
      std::fill_n(slope, d_, 0.0);
      return 0;
    }
    for (std::size_t k = 0; k < d_; ++k) slope[k] = -6 * s * s * (x[k] - ball.centre[k]) / r2;
    return s * s * s;
  }

  void add_point(FemBatch& batch, const std::vector<Atom>& atoms, std::size_t cell,
                 const CellShape& shape, const double* lambda) const {
    const auto corner = mesh_.cell(cell);
    for (std::size_t k = 0; k < d_; ++k) {
      double x = 0;
      for (std::size_t a = 0; a <= d_; ++a) x += lambda[a] * mesh_.node(corner[a])[k];
      batch.coordinates[k].push_back(x);
    }
    std::array<std::uint32_t, LagrangeBasis::most> places{};
    std::array<double, LagrangeBasis::most * 4> numbers{};
    for (std::size_t m = 0; m < atoms.size(); ++m) {
      const FemSpace& space = in_.spaces[atoms[m].field];
      const LagrangeBasis& basis = space.basis();
      const std::vector<double>& values = values_.at({atoms[m].field, atoms[m].rate});
      space.places(cell, places.data());
      double sum = 0;
      if (atoms[m].slope < 0) {
        basis.values(lambda, numbers.data());
        for (std::size_t a = 0; a < basis.size(); ++a) sum += numbers[a] * values[places[a]];
      } else {
        basis.slopes(lambda, numbers.data());
        for (std::size_t a = 0; a < basis.size(); ++a) {
          double slope = 0;
          for (std::size_t l = 0; l <= d_; ++l) {
            slope +=
                numbers[a * (d_ + 1) + l] * shape.grad[l][static_cast<std::size_t>(atoms[m].slope)];
          }
          sum += slope * values[places[a]];
        }
      }
      batch.atoms[m].push_back(sum);
    }
    ++batch.n;
  }

  [[nodiscard]] FemBatch new_batch(const std::vector<Atom>& atoms) const {
    FemBatch batch;
    batch.coordinates.resize(d_);
    batch.atoms.resize(atoms.size());
    return batch;
  }

  void test(const TestBall& ball, double t, FemTestResult& result) {
    FemBatch batch = new_batch(atoms_);
    std::vector<double> weights;
    for (std::size_t c = 0; c < centres_.size(); ++c) {
      if (away(centres_[c].data(), ball.centre.data()) > ball.radius + reaches_[c]) continue;
      const CellShape shape = cell_shape(mesh_, c);
      for (std::size_t q = 0; q < rule_.size(); ++q) {
        add_point(batch, atoms_, c, shape, rule_.point(q));
        weights.push_back(rule_.weights[q] * shape.measure);
      }
    }
    program_->run(batch, t, workspace_);
    const WeakForm& form = weak_.form;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (ball.condition >= 0 &&
          weak_.conditions[static_cast<std::size_t>(ball.condition)].row != r)
        continue;
      if (ball.condition < 0 && form.rows[r].equation >= result.equations.size()) continue;
      double sum = 0, mean = 0, sources = 0, size = 0;
      std::array<double, 3> along{}, slope{}, x{};
      for (std::size_t p = 0; p < batch.n; ++p) {
        for (std::size_t k = 0; k < d_; ++k) x[k] = batch.coordinates[k][p];
        const double v = test_value(ball, x.data(), slope.data());
        if (v == 0) continue;
        mean += weights[p] * v;
        for (std::size_t k = 0; k < rows_[r].n_sources; ++k) {
          const double s = weights[p] * v * batch.out[rows_[r].first_source + k][p];
          sum += s;
          sources += std::abs(s);
        }
        double length = 0;
        for (std::size_t k = 0; k < d_; ++k) {
          const double f = batch.out[rows_[r].first_flux + k][p];
          along[k] += weights[p] * f * slope[k];
          length += f * f;
        }
        size += weights[p] * v * std::sqrt(length);
      }
      double moduli = sources;
      for (std::size_t k = 0; k < d_; ++k) {
        sum += along[k];
        moduli += std::abs(along[k]);
      }
      if (ball.condition < 0) {
        record(result.equations[form.rows[r].equation], ball, t, sum / mean, moduli / mean);
      } else {
        test_flux(ball, t, sum, size / mean, result);
      }
    }
  }

  /// int over the ball + int of all fluxes of the row in it, in units of the condition's own sides.
  void test_flux(const TestBall& ball, double t, double inside, double size,
                 FemTestResult& result) {
    const auto own = static_cast<std::size_t>(ball.condition);
    const WeakCondition& condition = weak_.conditions[own];
    double sum = inside, moduli = std::abs(inside), mean = 0;
    std::size_t n_sides = 0;
    std::array<double, 3> slope{}, x{};
    for (std::size_t k = 0; k < weak_.conditions.size(); ++k) {
      const WeakCondition& c = weak_.conditions[k];
      if (c.role != WeakCondition::Role::natural || c.row != condition.row) continue;
      const Natural& n = naturals_[k];
      if (!n.program && k != own) continue;
      FemBatch batch = new_batch(n.atoms);
      batch.normals.resize(d_);
      std::vector<double> weights;
      for (const std::uint32_t facet : n.facets) {
        const auto nodes = mesh_.facet(facet);
        const bool near = std::any_of(nodes.begin(), nodes.end(), [&](Mesh::Index node) {
          return away(mesh_.node(node), ball.centre.data()) < ball.radius;
        });
        if (!near) continue;
        n_sides += k == own ? 1 : 0;
        const std::size_t cell = in_.mesh.facet_cell[facet];
        const auto corner = mesh_.cell(cell);
        const CellShape shape = cell_shape(mesh_, cell);
        std::size_t opposite = 0;
        for (std::size_t a = 0; a <= d_; ++a) {
          if (std::find(nodes.begin(), nodes.end(), corner[a]) == nodes.end()) opposite = a;
        }
        double length = 0;
        for (std::size_t i = 0; i < d_; ++i) length = std::hypot(length, shape.grad[opposite][i]);
        for (std::size_t q = 0; q < side_rule_.size(); ++q) {
          std::array<double, 4> lambda{};
          for (std::size_t a = 0; a < d_; ++a) {
            const auto at = std::find(corner.begin(), corner.end(), nodes[a]);
            lambda[static_cast<std::size_t>(at - corner.begin())] = side_rule_.point(q)[a];
          }
          add_point(batch, n.atoms, cell, shape, lambda.data());
          for (std::size_t i = 0; i < d_; ++i) {
            batch.normals[i].push_back(-shape.grad[opposite][i] / length);
          }
          weights.push_back(side_rule_.weights[q] * mesh_.facet_measure(facet));
        }
      }
      if (batch.n == 0) continue;
      if (n.program) n.program->run(batch, t, workspace_);
      for (std::size_t p = 0; p < batch.n; ++p) {
        for (std::size_t i = 0; i < d_; ++i) x[i] = batch.coordinates[i][p];
        const double v = weights[p] * test_value(ball, x.data(), slope.data());
        if (k == own) mean += v;
        if (!n.program) continue;
        sum += v * batch.out[0][p];
        moduli += std::abs(v * batch.out[0][p]);
      }
    }
    if (n_sides < least_sides[d_] || !(mean > 0)) return;
    auto& means = result.conditions[condition.condition];
    record(means, ball, t, sum / mean, moduli / mean + size);
    const Expr form = natural_flux(weak_.form, weak_.form.rows[condition.row]) + condition.value;
    if (!holds_auxiliary(form)) means->form = form;
  }

  /// Fields of the form that the problem does not have.
  [[nodiscard]] bool holds_auxiliary(const Expr& e) const {
    return std::any_of(weak_.form.auxiliary.begin(), weak_.form.auxiliary.end(),
                       [&](const AuxiliaryField& a) { return depends_on(e, Field(a.name)); });
  }

  /// Given values of auxiliary fields, laplacian(u) = 0 of a plate, against these fields.
  void compare_auxiliary(double t, FemTestResult& result) {
    for (std::size_t k = 0; k < weak_.conditions.size(); ++k) {
      const WeakCondition& c = weak_.conditions[k];
      if (c.role != WeakCondition::Role::essential || c.row < in_.problem.fields.size()) continue;
      const std::vector<Expr> outputs = {Field(weak_.form.fields[c.row]), plain(c.value)};
      const FemProgram program(in_.problem, outputs);
      std::vector<Atom> atoms;
      if (!read_atoms(program, atoms)) continue;
      wanted_.emplace(c.row, 0);
      make_values(t);
      FemBatch batch = new_batch(atoms);
      for (const std::uint32_t facet : naturals_[k].facets) {
        const std::size_t cell = in_.mesh.facet_cell[facet];
        const auto corner = mesh_.cell(cell);
        std::array<double, 4> lambda{};
        for (const Mesh::Index node : mesh_.facet(facet)) {
          const auto at = std::find(corner.begin(), corner.end(), node);
          lambda[static_cast<std::size_t>(at - corner.begin())] = 1 / static_cast<double>(d_);
        }
        add_point(batch, atoms, cell, cell_shape(mesh_, cell), lambda.data());
      }
      if (batch.n == 0) continue;
      program.run(batch, t, workspace_);
      double size = 0;
      const std::vector<double>& all = values_.at({c.row, 0});
      for (const double v : all) size += v * v / static_cast<double>(all.size());
      for (std::size_t p = 0; p < batch.n; ++p) {
        TestBall place;
        for (std::size_t i = 0; i < d_; ++i) place.centre[i] = batch.coordinates[i][p];
        record(result.conditions[c.condition], place, t, batch.out[0][p] - batch.out[1][p],
               std::sqrt(size) + std::abs(batch.out[1][p]));
      }
    }
  }

  void record(std::optional<WeakMeans>& means, const TestBall& ball, double t, double residual,
              double moduli) const {
    if (!means) {
      means.emplace();
      means->where.columns = in_.problem.coordinates();
    }
    means->residuals.push_back(residual);
    means->moduli.push_back(moduli);
    if (domain_of(in_.problem).time() != nullptr) means->where.values.push_back(t);
    means->where.values.insert(means->where.values.end(), ball.centre.begin(),
                               ball.centre.begin() + static_cast<std::ptrdiff_t>(d_));
  }

  const FemTestInput& in_;
  const Mesh& mesh_;
  std::size_t d_;
  WeakProblem weak_;
  SimplexRule rule_, side_rule_;
  std::vector<std::array<double, 3>> centres_;  // of cells
  std::vector<double> reaches_;
  std::vector<Row> rows_;
  std::unique_ptr<FemProgram> program_;
  std::vector<Atom> atoms_;
  std::vector<Natural> naturals_;  // per weak condition
  std::map<std::pair<std::size_t, int>, std::vector<double>> values_;
  std::set<std::pair<std::size_t, int>> wanted_;
  std::vector<TestBall> balls_;
  std::vector<double> workspace_;
  double longest_ = 0;
};

}  // namespace

FemTestResult test_elements(const FemTestInput& input) {
  if (input.mesh.mesh.n_facets() == 0) {  // of a field that was loaded
    return {.equations = std::vector<std::optional<WeakMeans>>(input.problem.equation.size()),
            .conditions = std::vector<std::optional<WeakMeans>>(input.problem.condition.size())};
  }
  return ElementTester(input).run();
}

}  // namespace cauchy::detail
