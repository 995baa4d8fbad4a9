#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <cauchy/expr/parse.hpp>

#include "support/message_of.hpp"
#include "support/random_field_checks.hpp"

namespace cauchy::test_random_field_text {
namespace {

constexpr auto neumann = FieldBoundary::neumann;

std::string refused(const std::string& text, std::size_t d = 1, FieldBoundary boundary = neumann) {
  return message_of([&] { return make_random_field(text, unit_axes(d, boundary)); });
}

TEST(RandomFieldText, GivesTheOptions) {
  const auto matern = std::get<MaternField>(parse_random_field(
      " matern( nu = 5/2, length = [0.1, sqrt(4)],\n sigma = 2^3, boundary = dirichlet, modes = 7,"
      "zero_mean = true )"));
  EXPECT_EQ(matern.nu, 2.5);
  EXPECT_EQ(matern.length, (std::vector<double>{0.1, 2}));
  EXPECT_EQ(matern.sigma, 8);
  EXPECT_EQ(matern.basis.boundary, FieldBoundary::dirichlet);
  EXPECT_EQ(matern.basis.modes, 7u);
  EXPECT_TRUE(matern.basis.zero_mean);
  const auto kl = std::get<KarhunenLoeveField>(
      parse_random_field("kl(kernel = matern, nu = 0.5, length = pow(2, -1), terms = 5)"));
  EXPECT_EQ(kl.kernel, FieldKernel::matern);
  EXPECT_EQ(kl.length, (std::vector<double>{0.5}));
  EXPECT_EQ(kl.terms, 5u);
  EXPECT_EQ(std::get<GrfField>(parse_random_field("grf()")).alpha, 2);
  EXPECT_TRUE(std::get<GrfField>(parse_random_field("grf")).basis.zero_mean);
}

TEST(RandomFieldText, BoundaryOfTheTextWins) {
  const RandomField::Nodes nodes = {{0, 0.3, 1}};
  const auto by_axis = make_random_field("gaussian", unit_axes(1, FieldBoundary::periodic));
  const auto by_text = make_random_field("gaussian(boundary = periodic)", unit_axes(1, neumann));
  EXPECT_EQ(by_axis->sample(Rng(1), 0, nodes), by_text->sample(Rng(1), 0, nodes));
}

TEST(RandomFieldText, SaysWhatCannotBeRead) {
  EXPECT_EQ(refused("gfr(alpha = 2)"),
            "random field:1:1: unknown random field 'gfr'; did you mean 'grf'?");
  EXPECT_EQ(refused("white"),
            "random field:1:1: unknown random field 'white'; random fields are: grf, matern, "
            "gaussian, exponential, kl, gp, chebyshev, polynomial, sines, constant");
  EXPECT_EQ(refused("grf(alfha = 2)"),
            "random field:1:5: 'grf' has no option 'alfha'; did you mean 'alpha'?");
  EXPECT_EQ(refused("gp(0.2)"),
            "random field:1:4: expected an option, got '0.2'; write key = value");
  EXPECT_EQ(refused("grf(alpha = 2, alpha = 3)"),
            "random field:1:16: 'alpha' is given twice; remove one of them");
  EXPECT_EQ(refused("grf(alpha = -2)"), "random field:1:13: 'alpha' must be positive, got -2");
  EXPECT_EQ(refused("grf(alpha = 1/0)").substr(0, 18), "random field:1:14:");
  EXPECT_EQ(refused("grf(alpha = )"), "random field:1:13: 'alpha' has no value");
  EXPECT_EQ(refused("grf(alpha = 2"), "random field:1:14: the bracket has no end; write ')'");
  EXPECT_EQ(refused("grf(alpha = 2) + 1"), "random field:1:16: unexpected '+' behind the bracket");
  EXPECT_EQ(refused("grf alpha"), "random field:1:5: expected '(' behind 'grf', got 'alpha'");
  EXPECT_EQ(refused(""),
            "random field:1:1: expected a name, got the end of the text; write for example "
            "grf(alpha = 2, tau = 3)");
  EXPECT_EQ(refused("grf(modes = 2.5)"),
            "random field:1:13: 'modes' must be a whole number from 0 to 4096, got 2.5");
  EXPECT_EQ(refused("grf(boundary = neuman)"),
            "random field:1:16: there is no boundary 'neuman'; did you mean 'neumann'?");
  EXPECT_EQ(refused("grf(boundary = \"neumann\")"),
            "random field:1:16: unexpected character '\"'; remove it");
  EXPECT_EQ(refused("grf(zero_mean = 1)"),
            "random field:1:17: 'zero_mean' must be true or false, got 1");
  EXPECT_EQ(refused("gp(length = [0.1, 0])"),
            "random field:1:19: 'length' must be positive, got 0");
  EXPECT_EQ(refused("gp(length = [0.1,\n xx])").substr(0, 17), "random field:2:2:");
  EXPECT_EQ(refused("gp(length = [])").substr(0, 13), "random field:");
  EXPECT_EQ(refused("gp(length = [0.1, 0.2)").substr(0, 13), "random field:");
  // Within a file, at its place.
  EXPECT_EQ(message_of([] {
              return make_random_field("grf(tau = 0)", unit_axes(1, neumann), {"a.toml", 4, 20});
            }),
            "a.toml:4:30: 'tau' must be positive, got 0");
}

TEST(RandomFieldText, SaysWhatTheAxesDoNotAllow) {
  EXPECT_EQ(refused("grf(alpha = 1)", 2),
            "random field:1:1: alpha must lie in (1, 31] over 2 axes, got 1; rougher fields have "
            "no values at points");
  EXPECT_EQ(refused("grf(boundary = free)"),
            "random field:1:1: a free boundary cuts the box out of a larger one, whose mean is not "
            "its own; set zero_mean = false, or another boundary");
  EXPECT_EQ(refused("matern(nu = 31)"),
            "random field:1:1: nu must lie in (0, 30], got 31; use 'gaussian', which is the limit");
  EXPECT_EQ(refused("gaussian(length = [1, 2])", 3),
            "random field:1:1: 2 lengths do not fit 3 axes; give one for all, or one for each");
  EXPECT_EQ(refused("chebyshev", 1, FieldBoundary::periodic),
            "random field:1:1: axis 1 is periodic, these functions are not; use 'grf', 'matern' or "
            "'gaussian'");
  EXPECT_EQ(refused("gp", 2, FieldBoundary::periodic).substr(0, 18), "random field:1:1: ");
  EXPECT_EQ(refused("constant(lower = 2, upper = 1)"),
            "random field:1:1: lower must not be above upper, got 2 and 1");
  // A field that is too fine for the default number of modes is not drawn wrongly.
  EXPECT_EQ(
      refused("gaussian(length = 0.005)", 2),
      "random field:1:1: the default number of modes holds only about 87 % of the variance; give "
      "'modes', or a smoother field");
  EXPECT_EQ(refused("gaussian(length = 0.005, modes = 300)", 2), "no error");
  EXPECT_NE(refused("gp(length = 0.001)"), "no error");
}

TEST(RandomFieldText, ProgramsAreHeldToTheSameRanges) {
  const auto says = [](const RandomFieldOptions& o, const std::vector<RandomFieldAxis>& axes) {
    return message_of([&] { return make_random_field(o, axes); });
  };
  EXPECT_EQ(says(GrfField{.tau = -1}, unit_axes(1, neumann)),
            "[random_field.grf]: tau must be positive, got -1");
  EXPECT_EQ(says(ChebyshevField{.n = 0}, unit_axes(1, neumann)),
            "[random_field.chebyshev]: n must be at least 1, got 0");
  EXPECT_EQ(says(GaussianField{.length = {std::numeric_limits<double>::infinity()}},
                 unit_axes(1, neumann)),
            "[random_field.gaussian]: a length must be finite, got inf");
  EXPECT_EQ(says(GrfField{}, {}), "[random_field]: random fields have 1 to 3 axes, got 0");
  EXPECT_EQ(says(GrfField{}, unit_axes(4, neumann)),
            "[random_field]: random fields have 1 to 3 axes, got 4");
  EXPECT_EQ(says(GrfField{}, {{1, 1}}),
            "[random_field]: [1, 1] is no axis of a box; give a lower end and a larger upper one");
  EXPECT_NE(says(GrfField{}, {{0, std::nan("")}}), "no error");
}

TEST(RandomFieldText, RefusesPointsOutsideOfTheBox) {
  const auto field = make_random_field("gp", unit_axes(2, neumann));
  EXPECT_EQ(message_of([&] {
              return field->on_grid({{0, 1}, {0.5, 1.1}});
            }),
            "[random_field.gp]: 1.1 lies outside of axis 2, [0, 1]; keep to the box of the field");
  EXPECT_NE(message_of([&] { return field->on_grid({{0, std::nan("")}, {0}}); }), "no error");
  EXPECT_NE(message_of([&] { return field->on_grid({{0, 1}}); }), "no error");
  EXPECT_NE(message_of([&] { return field->on_grid({{0, 1}, {}}); }), "no error");
  EXPECT_NE(message_of([&] { return field->on_points(std::vector<double>{0, 1, 0}); }), "no error");
  EXPECT_NE(message_of([&] { return field->on_points(std::vector<double>{}); }), "no error");
  const auto sampler = field->on_grid({{0, 1}, {0, 1 + 1e-12}});  // rounding of nodes
  std::vector<double> few(3);
  EXPECT_EQ(message_of([&] {
              sampler->sample(Rng(1), 0, few);
              return 0;
            }),
            "[random_field.gp]: a sample has 4 values, the array 3");
}

}  // namespace
}  // namespace cauchy::test_random_field_text
