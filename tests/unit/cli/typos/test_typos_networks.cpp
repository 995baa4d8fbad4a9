// Networks that cannot be: what the program says, in one sentence, before anything is trained.
#include <algorithm>

#include "support/cli_support.hpp"

namespace cauchy::test_typos_networks {
namespace {

using namespace testing_cli;

/// A bar with time, and a beam whose equation has fourth derivatives.
std::string bad_network_problem(const std::string& form) {
  return "name = \"bar\"\nfields = [\"u\"]\n[domain]\ntime = { t = [0, 1] }\nspace = { x = [-1, 1] "
         "}\n"
         "[[equation]]\nform = \"" +
         form +
         "\"\n[[condition]]\nwhere = \"t = 0\"\nform = \"u = 0\"\n"
         "[[condition]]\nwhere = \"boundary\"\nform = \"u = 0\"\n";
}

TEST(BadNetworks, AreToldBeforeTheTraining) {
  const Folder folder;
  const std::string bar = folder.write("bar.toml", bad_network_problem("u_t = u_xx"));
  const std::string beam = folder.write("beam.toml", bad_network_problem("u_t = -u_xxxx"));
  struct Case {
    std::string file, setting, message;
  };
  const auto network = [](const std::string& text) { return "method.network={" + text + "}"; };
  const std::vector<Case> cases{
      {bar, "method.network.kind=sirren", "unknown network 'sirren'; did you mean 'siren'?"},
      {bar, network("kind='siren', w_0=3"),
       "unknown key 'w_0' in [method.network]; did you mean 'w0'?"},
      {bar, network("kind='kan', order=0"), "'order' must be at least 1, got 0"},
      {bar, network("kind='kan', lower=-0.5"),
       "[method.network]: the grid of the splines, [-0.5, 1], leaves out a part of 't', which the "
       "network sees in [-1, 1]; widen lower and upper"},
      {bar, network("kind='kan', lower=2"),
       "the grid must go from a number to a larger one, got 2 to 1"},
      {bar, network("kind='experts', expert=[]"), "a mixture needs at least one expert"},
      {bar, network("kind='windows', windows=[65, 64]"),
       "65 x 64 windows are 4160, at most 4096 fit; use fewer windows with a larger inner network"},
      {bar, network("kind='windows', windows=[2, 2, 2]"),
       "windows = [2, 2, 2] has 3 numbers, the network has 2 inputs"},
      {bar, network("kind='windows', windows=[0]"), "every 'windows' must be positive, got 0"},
      {bar, network("kind='windows', windows=[2.5]"),
       "'windows' are whole numbers of at most 4096, got 2.5"},
      {bar, "method.periodic=[{coordinate='x', period=0}]",
       "[[method.periodic]] 'x' has no period, and no periodic condition gives one; give a "
       "positive "
       "period"},
      {bar, "method.periodic=[{coordinate='x', period=-1}]",
       "'period' must be not negative, got -1"},
      {bar, network("widths=[8, 0]"), "every 'widths' must be positive, got 0"},
      {bar, network("width=0"), "'width' must be at least 1, got 0"},
      {bar, network("kind='kan', hidden=[3, 0]"), "every 'hidden' must be positive, got 0"},
      {bar, network("kind='pinnsformer', heads=3"),
       "width must be a multiple of heads, got 16 and 3"},
      {bar, network("kind='jacobi_kan', a=-2"), "a and b must be above -1, got -2 and 1"},
      {beam, network("kind='kan'"),
       "has derivatives of order 4, and those of splines of order 3 vanish beyond order 3; use "
       "order = 5 or another network"},
      {beam, network("kind='windows', windows=[2, 2], inner={kind='kan'}"),
       "those of splines of order 3 vanish beyond order 3"},
  };
  for (const Case& c : cases) {
    const Result r = run({"check", c.file, "--set", c.setting});
    EXPECT_EQ(r.code, 2) << c.setting;
    EXPECT_NE(r.err.find(c.message), std::string::npos) << c.setting << "\n" << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << "one sentence: " << r.err;
  }
}

}  // namespace
}  // namespace cauchy::test_typos_networks
