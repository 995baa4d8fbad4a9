#include <cauchy/base/options.hpp>
#include <cauchy/solvers/variational.hpp>

namespace cauchy {
namespace {

constexpr std::uint64_t most_tests = 100'000, most_degree = 20;

const Words<Essential> essentials = {{"automatic", Essential::automatic},
                                     {"hard", Essential::hard},
                                     {"penalty", Essential::penalty},
                                     {"nitsche", Essential::nitsche}};
const Words<EnergyRule> energy_rules = {{"automatic", EnergyRule::automatic},
                                        {"gauss", EnergyRule::gauss},
                                        {"mesh", EnergyRule::mesh},
                                        {"random", EnergyRule::random}};
const Words<TestFamily> test_families = {{"sine", TestFamily::sine},
                                         {"legendre", TestFamily::legendre},
                                         {"jacobi", TestFamily::jacobi},
                                         {"bspline", TestFamily::spline},
                                         {"hat", TestFamily::hat}};
const Words<TestNorm> test_norms = {
    {"none", TestNorm::none}, {"l2", TestNorm::l2}, {"h1", TestNorm::h1}};

constexpr const char* family_word = "family of test functions";

/// What vpinn and hp_vpinn share besides the trial and the family.
template <class Settings>
void visit_tests(Settings& m, OptionVisitor& v) {
  v.count("parts", m.parts, 0, 2);
  v.word("norm", m.norm, test_norms);
  v.count("quadrature", m.quadrature, 0, most_tests);
  v.number("alpha", m.alpha, NumberRange::any);
  v.number("beta", m.beta, NumberRange::any);
}

}  // namespace

void visit_options(Ritz& m, OptionVisitor& v) {
  v.word("essential", m.essential, essentials);
  v.number("penalty", m.penalty, NumberRange::positive);
  v.word("quadrature", m.quadrature, energy_rules);
  visit_trial_options(m.trial, TrialKeys::energy, v);
}

void visit_options(Vpinn& m, OptionVisitor& v) {
  Words<std::optional<TestFamily>> families = {{"automatic", std::nullopt}};
  for (const auto& [name, family] : test_families) families.emplace_back(name, family);
  v.word("family", m.family, families, family_word);
  v.count("tests", m.tests, 0, most_tests);
  v.flag("vanish", m.vanish);
  visit_tests(m, v);
  visit_trial_options(m.trial, TrialKeys::tests, v);
}

void visit_options(HpVpinn& m, OptionVisitor& v) {
  v.word("family", m.family, test_families, family_word);
  v.numbers("elements", m.elements, NumberRange::positive);
  v.count("tests", m.tests, 1, most_tests);
  v.flag("vertices", m.vertices);
  v.count("degree", m.degree, 1, most_degree);
  visit_tests(m, v);
  visit_trial_options(m.trial, TrialKeys::tests, v);
}

}  // namespace cauchy
