#include <cauchy/math/test_functions.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/math/bspline.hpp>
#include <cauchy/math/matrix.hpp>
#include <cauchy/math/polynomials.hpp>
#include <cauchy/math/quadrature.hpp>

namespace cauchy {
namespace {

using Function = TabulatedTests::Function;
/// Value, slope and curvature.
using TestJet = std::array<double, 3>;

bool is_spline(const TestFunctions& t) {
  return t.family == TestFamily::spline || t.family == TestFamily::hat;
}
std::size_t spline_degree(const TestFunctions& t) {
  return t.family == TestFamily::hat ? 1 : t.degree;
}

void check_tests(const TestFunctions& t, double lower, double upper) {
  const auto require = [](bool good, std::string_view message) {
    if (!good) throw Error(std::string(message), "[math.test_functions]");
  };
  require(lower < upper && std::isfinite(lower) && std::isfinite(upper),
          "an interval goes from a lower to a higher number");
  require(t.elements > 0, "there must be at least one element");
  if (is_spline(t)) {
    require(t.family == TestFamily::hat || (t.degree >= 1 && t.degree <= BSplineBasis::max_degree),
            fmt::format("the degree of splines is 1 to {}", BSplineBasis::max_degree));
    require(!t.vanish || t.elements + spline_degree(t) > 2,
            "no spline on so few intervals vanishes at both ends");
    return;
  }
  require(t.count > 0, "there must be at least one test function per element");
  require(t.alpha > -1 && t.beta > -1 && std::isfinite(t.alpha) && std::isfinite(t.beta),
          "alpha and beta of Jacobi polynomials must be above -1");
}

/// The functions of an element at r in [-1, 1], derivatives by r.
class ReferenceTests final {
 public:
  explicit ReferenceTests(const TestFunctions& t)
      : tests_(t), table_(3, t.count + 2), out_(t.count) {}

  const std::vector<TestJet>& operator()(double r) {
    const std::size_t n = tests_.count;
    const auto jets = MatrixView<double>(table_);
    switch (tests_.family) {
      case TestFamily::sine:
        sines(r);
        return out_;
      case TestFamily::jacobi:
        OrthogonalPolynomials::jacobi(tests_.alpha, tests_.beta).evaluate(r, jets);
        break;
      default:
        OrthogonalPolynomials::legendre().evaluate(r, jets);
        break;
    }
    for (std::size_t k = 1; k <= n; ++k) {
      for (std::size_t j = 0; j < 3; ++j) {
        out_[k - 1][j] = tests_.vanish && tests_.family == TestFamily::legendre
                             ? table_(j, k + 1) - table_(j, k - 1)
                             : table_(j, k - 1);
      }
      if (!tests_.vanish || tests_.family != TestFamily::jacobi) continue;
      const TestJet p = out_[k - 1];
      out_[k - 1] = {(1 - r * r) * p[0], (1 - r * r) * p[1] - 2 * r * p[0],
                     (1 - r * r) * p[2] - 4 * r * p[1] - 2 * p[0]};
    }
    return out_;
  }

 private:
  void sines(double r) {
    for (std::size_t k = 1; k <= out_.size(); ++k) {
      const double w = static_cast<double>(tests_.vanish ? k : k - 1) * std::numbers::pi / 2;
      const double c = std::cos(w * (r + 1)), s = std::sin(w * (r + 1));
      out_[k - 1] = tests_.vanish ? TestJet{s, w * c, -w * w * s} : TestJet{c, -w * s, -w * w * c};
    }
  }

  const TestFunctions& tests_;
  Matrix table_;
  std::vector<TestJet> out_;
};

/// One element more at the end of the support of a function: jets at its nodes, and at both ends.
struct TestPiece {
  std::vector<TestJet> nodes;
  TestJet left{}, right{};
};
void append_piece(Function& f, const TestPiece& piece) {
  for (const TestJet& jet : piece.nodes) {
    for (std::size_t j = 0; j < 3; ++j) f.at[j].push_back(jet[j]);
  }
  for (std::size_t j = 0; j < 2; ++j) {
    if (f.jump[j].empty()) f.jump[j].push_back(0);
    f.jump[j].back() -= piece.left[j];
    f.jump[j].push_back(piece.right[j]);
  }
}

/// Functions of single elements.
void add_bubbles(const TestFunctions& tests, const Rule& rule, TabulatedTests& out) {
  const double scale = 2 / (out.faces[1] - out.faces[0]);
  ReferenceTests reference(tests);
  std::vector<TestPiece> pieces(tests.count);
  const auto jets_at = [&](double r) {
    std::vector<TestJet> jets = reference(r);
    for (TestJet& jet : jets) {
      if (tests.vanish && std::abs(r) == 1) jet[0] = 0;  // without rounding
      jet = {jet[0], jet[1] * scale, jet[2] * scale * scale};
    }
    return jets;
  };
  const std::vector<TestJet> left = jets_at(-1), right = jets_at(1);
  for (std::size_t k = 0; k < tests.count; ++k) {
    pieces[k].left = left[k];
    pieces[k].right = right[k];
  }
  for (const double r : rule.nodes) {
    const std::vector<TestJet> jets = jets_at(r);
    for (std::size_t k = 0; k < tests.count; ++k) pieces[k].nodes.push_back(jets[k]);
  }
  for (std::size_t e = 0; e < tests.elements; ++e) {
    for (const TestPiece& piece : pieces) {
      append_piece(out.functions.emplace_back(Function{.first = e * rule.size(), .first_face = e}),
                   piece);
    }
  }
}

/// Splines over the elements, the first and last left out where functions vanish. Inside they are
/// continuous, and so are their slopes but for degree 1, where these are constant on an element.
void add_splines(std::size_t degree, bool vanish, TabulatedTests& out) {
  const std::size_t n = out.faces.size() - 1, q = out.nodes.size() / n;
  const BSplineBasis basis =
      BSplineBasis::open_uniform(n, degree, out.faces.front(), out.faces.back());
  const auto jet_of = [&](double x, std::size_t i) {
    Matrix table(3, degree + 1);
    const std::size_t first = basis.evaluate(x, MatrixView<double>(table));
    if (i < first || i > first + degree) return TestJet{};
    const std::size_t c = i - first;
    return TestJet{table(0, c), table(1, c), table(2, c)};
  };
  const std::size_t skipped = vanish ? 1 : 0;
  for (std::size_t i = skipped; i + skipped < basis.size(); ++i) {
    const std::size_t begin = i > degree ? i - degree : 0, end = std::min(i + 1, n);
    Function f{.first = begin * q, .first_face = begin};
    for (std::size_t e = begin; e < end; ++e) {
      TestPiece piece;
      for (std::size_t p = 0; p < q; ++p) piece.nodes.push_back(jet_of(out.nodes[e * q + p], i));
      if (e == 0) piece.left = jet_of(out.faces.front(), i);
      if (e + 1 == n) piece.right = jet_of(out.faces.back(), i);
      if (degree == 1) piece.left[1] = piece.right[1] = piece.nodes[0][1];
      append_piece(f, piece);
    }
    out.functions.push_back(std::move(f));
  }
}

}  // namespace

TabulatedTests tabulate(const TestFunctions& tests, double lower, double upper, std::size_t n) {
  check_tests(tests, lower, upper);
  if (n == 0) n = 2 * (is_spline(tests) ? spline_degree(tests) : tests.count) + 4;
  TabulatedTests out;
  const Rule rule = gauss_legendre(n);
  const double h = (upper - lower) / static_cast<double>(tests.elements);
  for (std::size_t e = 0; e < tests.elements; ++e) {
    const double a = lower + h * static_cast<double>(e);
    out.faces.push_back(a);
    for (std::size_t i = 0; i < n; ++i) {
      out.nodes.push_back(a + h * (rule.nodes[i] + 1) / 2);
      out.weights.push_back(rule.weights[i] * h / 2);
    }
  }
  out.faces.push_back(upper);
  if (is_spline(tests)) {
    add_splines(spline_degree(tests), tests.vanish, out);
  } else {
    add_bubbles(tests, rule, out);
    if (tests.vertices && tests.vanish && tests.elements > 1) add_splines(1, true, out);
  }
  for (TabulatedTests::Function& f : out.functions) {
    for (std::size_t j = 0; j < 2; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < f.at[j].size(); ++i) {
        sum += out.weights[f.first + i] * f.at[j][i] * f.at[j][i];
      }
      f.norm[j] = std::sqrt(sum);
    }
  }
  return out;
}

}  // namespace cauchy
