#include <gtest/gtest.h>

#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/simplify.hpp>
#include <cauchy/geometry/primitives.hpp>

#include "support/fvm_cases.hpp"

namespace cauchy::test_fvm_law {
namespace {

using namespace testing;  // NOLINT
using detail::BalanceLaw;

BalanceLaw law_of(const std::string& text) {
  const auto problem = problem_of(text);
  return detail::read_balance_law(*problem, detail::Lowering(*problem));
}
BalanceLaw scalar_law(const std::string& equation) {
  return law_of(scalar_text(equation, "0", 0, 1, 1, ""));
}

TEST(FvmLaw, FindsFluxAndSourceInManyNotations) {
  const Field u("u");
  const Coordinate x("x");
  for (const char* form :
       {"u_t + u*u_x = 0", "u_t + d(u^2/2, x) = 0", "2*u_t = -2*u*u_x", "d(u, t) = -d(u^2, x)/2"}) {
    const BalanceLaw law = scalar_law(form);
    const Expr ratio = simplify(law.convection[0][0] / law.conserved[0]);
    EXPECT_TRUE(same(ratio, u / 2)) << form << ": " << to_string(ratio);
    EXPECT_FALSE(law.has_source) << form;
    EXPECT_FALSE(law.is_diffusive) << form;
  }
  // A coefficient that depends on x: (1 + x) u_x = ((1 + x) u)_x - u.
  const BalanceLaw law = scalar_law("u_t + (1 + x)*u_x = 3*u^2");
  EXPECT_TRUE(same(expand(law.convection[0][0]), expand((1 + x) * u)));
  EXPECT_TRUE(same(expand(law.source[0]), expand(u + 3 * u * u)));
  const BalanceLaw viscous = scalar_law("u_t + u*u_x = d((1 + u^2)*u_x, x)");
  EXPECT_TRUE(viscous.is_diffusive);
  EXPECT_TRUE(same(expand(viscous.diffusion[0][0]), expand(-(1 + u * u) * d(u, x))));
}

TEST(FvmLaw, SolvesConservedQuantitiesForTheFields) {
  const BalanceLaw law = law_of(gas_text("1", "0", "1", "", 1));
  Values at;
  at.set(law.symbols[0], 2).set(law.symbols[1], 3).set(law.symbols[2], 7);
  EXPECT_NEAR(evaluate(law.inverse[0], at), 2, 1e-15);
  EXPECT_NEAR(evaluate(law.inverse[1], at), 1.5, 1e-15);
  EXPECT_NEAR(evaluate(law.inverse[2], at), 0.4 * (7 - 2.25), 1e-14);
  const auto gas = detail::gas_form(law);
  ASSERT_TRUE(gas && gas->gamma);
  EXPECT_NEAR(*gas->gamma, 1.4, 1e-12);
}

TEST(FvmLaw, KnowsShallowWaterAsAGasWithoutEnergy) {
  const BalanceLaw law = law_of(
      "name = 'water'\nfields = ['h', 'u']\n[domain]\ntime = { t = [0, 1] }\nspace = { x = [0, 1] "
      "}\n"
      "[[equation]]\nform = 'h_t + d(h*u, x) = 0'\n"
      "[[equation]]\nform = 'd(h*u, t) + d(h*u^2 + 9.81*h^2/2, x) = 0'\n"
      "[[condition]]\nwhere='t = 0'\nform='h = 1'\n[[condition]]\nwhere='t = 0'\nform='u = 0'\n");
  const auto gas = detail::gas_form(law);
  ASSERT_TRUE(gas);
  EXPECT_FALSE(gas->gamma);
  const auto speeds = detail::wave_speeds(law, gas), general = detail::wave_speeds(law, {});
  Values at;
  at.set(law.fields[0], 2).set(law.fields[1], 0.5).set(Symbol("n_x"), -1);
  for (const auto& s : {speeds, general}) {
    EXPECT_NEAR(evaluate(s.least, at), -0.5 - std::sqrt(2 * 9.81), 1e-12);
    EXPECT_NEAR(evaluate(s.largest, at), -0.5 + std::sqrt(2 * 9.81), 1e-12);
  }
}

TEST(FvmLaw, SpeedsOfAGasAreExactWithAndWithoutItsForm) {
  for (const bool conserved : {false, true}) {
    const BalanceLaw law = law_of(plane_gas_text(conserved, periodic_sides));
    const auto gas = detail::gas_form(law);
    ASSERT_TRUE(gas && gas->gamma) << conserved;
    const auto speeds = detail::wave_speeds(law, gas), general = detail::wave_speeds(law, {});
    const double rho = 0.8, u = 0.4, v = -0.3, p = 1.2;
    Values at;
    at.set(Symbol("n_x"), 0.6).set(Symbol("n_y"), 0.8);
    if (conserved) {
      at.set(law.fields[0], rho).set(law.fields[1], rho * u).set(law.fields[2], rho * v);
      at.set(law.fields[3], p / 0.4 + rho * (u * u + v * v) / 2);
    } else {
      at.set(law.fields[0], rho).set(law.fields[1], u).set(law.fields[2], v).set(law.fields[3], p);
    }
    const double c = std::sqrt(1.4 * p / rho), un = 0.6 * u + 0.8 * v;
    EXPECT_NEAR(evaluate(speeds.least, at), un - c, 1e-12);
    EXPECT_NEAR(evaluate(speeds.largest, at), un + c, 1e-12);
    // Without the form: by the Jacobian, exactly where it splits, else a bound.
    double radius = 0;
    if (general.matrix.empty()) {
      radius = std::max(std::abs(evaluate(general.least, at)), evaluate(general.largest, at));
    } else {
      std::vector<double> matrix;
      for (const Expr& e : general.matrix) matrix.push_back(evaluate(e, at));
      radius = detail::spectral_radius(matrix, 4);
    }
    EXPECT_GE(radius, std::abs(un) + c - 1e-12);
    EXPECT_LT(radius, 1.15 * (std::abs(un) + c));
  }
}

TEST(FvmTriangles, CoverRegionsWithFacesThatMatch) {
  const Region regions[] = {Disk({0.5, 0.5}, 0.5),
                            Rectangle({0, 0}, {2, 1}) - Disk({0.7, 0.5}, 0.2),
                            Rectangle({0, 0}, {1, 1}) - Rectangle({0.5, 0.5}, {1, 1})};
  for (const Region& region : regions) {
    const ShapePtr shape = region.shape();
    const auto mesh = detail::triangle_mesh(detail::triangulate(shape, 0.06));
    // Chords cut off O(h^2 / R^2) of a curved region.
    EXPECT_NEAR(mesh.total_volume(), shape->measure(), 0.01 * shape->measure()) << region.str();
    // The normals of a closed cell sum to nothing; no triangle is a needle.
    const double mean = mesh.total_volume() / static_cast<double>(mesh.n_cells);
    for (std::size_t c = 0; c < mesh.n_cells; ++c) {
      double sum[2] = {0, 0}, around = 0;
      ASSERT_EQ(mesh.cell_begin[c + 1] - mesh.cell_begin[c], 3U);
      for (std::size_t j = mesh.cell_begin[c]; j < mesh.cell_begin[c + 1]; ++j) {
        const std::size_t f = mesh.cell_face[j];
        around += mesh.area[f];
        for (std::size_t d = 0; d < 2; ++d) {
          sum[d] += (mesh.left[f] == c ? 1 : -1) * mesh.area[f] * mesh.normal[d][f];
        }
      }
      EXPECT_LT(std::hypot(sum[0], sum[1]), 1e-14);
      EXPECT_GT(mesh.volume[c], 0.1 * mean) << region.str();
      EXPECT_GT(mesh.volume[c] / (around * around), 0.01) << region.str();
    }
    double boundary = 0, length = 0;
    for (std::size_t f = mesh.n_inner; f < mesh.n_faces(); ++f) boundary += mesh.area[f];
    for (const Piece& piece : shape->pieces()) length += piece.measure;
    EXPECT_NEAR(boundary, length, 0.02 * length) << region.str();
  }
}

}  // namespace
}  // namespace cauchy::test_fvm_law
