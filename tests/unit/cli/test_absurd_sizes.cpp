// Inputs that no one means: each is answered at once, by one sentence that names the limit or by an
// answer, and nothing is left behind.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/cli_support.hpp"
#include "support/effort.hpp"

namespace cauchy::testing_cli::test_absurd_sizes {
namespace {

/// A number of lines or words, each made from its number.
std::string repeated(int n, const std::function<std::string(int)>& part) {
  std::string text;
  for (int i = 0; i < n; ++i) text += part(i);
  return text;
}
std::string repeated(int n, const std::string& part) {
  return repeated(n, [&](int) { return part; });
}

/// Heat in a bar with something in front, with other definitions, and with another equation.
std::string with(const std::string& front, const std::string& equation = "u_t = u_xx",
                 const std::string& behind = "") {
  return front + R"toml(
name = "heat"
fields = ["u"]
[domain]
time = { t = [0, 1] }
space = { x = [0, 1] }
[[equation]]
form = ")toml" +
         equation + R"toml("
[[condition]]
where = "t = 0"
form = "u = sin(pi*x)"
[[condition]]
where = "boundary"
form = "u = 0"
)toml" + behind;
}
/// The same with settings of the method, solved in two steps.
std::string solved(const std::string& network, const std::string& points,
                   const std::string& stage = "optimizer = \"adam\"") {
  return with("", "u_t = u_xx",
              fmt::format("[method.network]\n{}\n[method.points]\n{}\n[[method.stage]]\n"
                          "steps = 2\n{}\n",
                          network, points, stage));
}
std::string in_region(const std::string& region) {
  return "fields = [\"u\"]\n[domain]\nregion = \"" + region +
         "\"\n[[equation]]\nform = \"laplacian(u) = 1\"\n[[condition]]\nwhere = \"boundary\"\n"
         "form = \"u = 0\"\n";
}
/// Many fields of time; each equation holds its own field, or all of them.
std::string system_of(int n, bool coupled) {
  const auto name = [](int i) { return fmt::format("u{}", i); };
  const std::string all = repeated(n, [&](int i) { return (i == 0 ? "" : " + ") + name(i); });
  return "fields = [" +
         repeated(n, [&](int i) { return fmt::format("{}\"{}\"", i == 0 ? "" : ", ", name(i)); }) +
         "]\n[domain]\ntime = { t = [0, 1] }\n" + repeated(n, [&](int i) {
           return fmt::format(
               "[[equation]]\nform = \"{0}_t = {1}\"\n[[condition]]\nwhere = \"t = 0\"\n"
               "form = \"{0} = 1\"\n",
               name(i), coupled ? all : "-" + name(i));
         });
}

/// laplacian(laplacian(u)).
std::string nested(const std::string& function, int times) {
  return repeated(times, function) + "u" + repeated(times, ")");
}
std::string in_box(int dimension, const std::string& form) {
  return "fields = [\"u\"]\n[domain]\nspace = { " +
         repeated(dimension,
                  [](int i) { return fmt::format("{}x{} = [0, 1]", i == 0 ? "" : ", ", i); }) +
         " }\n[[equation]]\nform = \"" + form +
         " = 1\"\n[[condition]]\nwhere = \"boundary\"\nform = \"u = 0\"\n";
}

struct Absurd {
  std::string name;
  std::string text;      ///< of the problem
  std::string sentence;  ///< part of the message; empty: it works
  std::string command = "check";
};

std::vector<Absurd> absurd_problems() {
  const std::string solve = "solve";
  const auto of = [](const std::string& form) { return "u_t = u_xx + " + form; };
  return {
      // --- memory
      {"layers", solved("depth = 100000", ""), "'depth' must be at most 1000", solve},
      {"interior points", solved("", "interior = 1000000000000"), "the run would take 72 TB",
       solve},
      {"boundary points", solved("", "boundary = 1000000000000"), "use fewer points", solve},
      {"points beyond any number", solved("", "interior = 9000000000000000000"), "at most", solve},
      {"weights", solved("width = 1000000", ""), "1000000 x 1000000 weights are too many", solve},
      {"newton", solved("width = 3000", "", "optimizer = \"newton\""), "use lbfgs", solve},
      {"ssbroyden", solved("width = 9000", "", "optimizer = \"ssbroyden\""), "use lbfgs", solve},
      {"least squares",
       solved("width = 3000", "interior = 1000000", "optimizer = \"levenberg_marquardt\""),
       "the run would take", solve},
      {"pairs of lbfgs",
       solved("width = 4\ndepth = 1", "interior = 9\nboundary = 4\ninitial = 4",
              "optimizer = \"lbfgs\"\nmemory = 1000000000"),
       "", solve},
      // --- chains and nesting of a file
      {"chained parameters",
       with("", "u_t = p3999*u_xx",
            "[parameters]\np0 = 1\n" +
                repeated(3999, [](int i) { return fmt::format("p{} = \"p{} + 1\"\n", i + 1, i); })),
       ""},
      {"parameters chained backwards",
       with("", "u_t = p0*u_xx",
            "[parameters]\n" +
                repeated(3999, [](int i) { return fmt::format("p{} = \"p{} + 1\"\n", i, i + 1); }) +
                "p3999 = 1\n"),
       ""},
      {"chained definitions",
       with("", of("q3999"),
            "[definitions]\nq0 = \"x\"\n" +
                repeated(3999, [](int i) { return fmt::format("q{} = \"q{} + 1\"\n", i + 1, i); })),
       ""},
      {"nested definitions",
       with(
           "", of("q3999"),
           "[definitions]\nq0 = \"x\"\n" +
               repeated(3999, [](int i) { return fmt::format("q{} = \"sin(q{})\"\n", i + 1, i); })),
       "nested deeper than 2000 levels"},
      {"dotted keys", with("a" + repeated(50'000, ".a") + " = 1\n"),
       "nested deeper than 100 levels"},
      {"a dotted header", "[a" + repeated(50'000, ".a") + "]\nb = 1\n", "nested deeper than 100"},
      {"nested tables", with("z = " + repeated(50'000, "{a=") + "1" + repeated(50'000, "}")),
       "nested deeper than 100 levels"},
      {"nested arrays", with("z = " + repeated(50'000, "[") + repeated(50'000, "]")),
       "nested deeper than 100 levels"},
      {"tables and dotted keys in one another", with("z = " + repeated(90, "{a.a.a.a.a=") + "1"),
       "nested deeper than 100 levels"},
      {"many keys", with(repeated(50'000, [](int i) { return fmt::format("k{} = 1\n", i); })),
       "keys, at most 20000 are read"},
      {"a long comment", with("#" + std::string(1'000'000, 'x') + "\n"), ""},
      {"a long file", with(repeated(17'000, "#" + std::string(1000, 'x') + "\n")),
       "larger than the limit of 17 MB"},
      // --- regions
      {"translations", in_region("disk((0, 0), 1)" + repeated(10'000, ".translated(0.1, 0)")),
       "more than 1000 operations in a row"},
      {"names", in_region("disk((0, 0), 1)" + repeated(10'000, ".named(a)")),
       "more than 1000 operations in a row"},
      {"brackets of a region",
       in_region(repeated(50'000, "(") + "disk((0, 0), 1)" + repeated(50'000, ")")),
       "nested deeper than 100 levels"},
      // --- expressions
      {"brackets", with("", of(repeated(100'000, "(") + "x")), "nested deeper than 200 levels"},
      {"signs", with("", of("0 " + repeated(100'000, "-") + "x")), ""},
      {"powers", with("", of("x" + repeated(10'000, "^x"))), "nested deeper than 200 levels"},
      {"negations", with("", of("where(" + repeated(100'000, "not ") + "x > 0, 1, 0)")),
       "nested deeper than 200 levels"},
      {"a long sum", with("", of("x" + repeated(100'000, " + x"))), ""},
      {"a long sum of different terms",
       with("", of("x" + repeated(2000, [](int i) { return fmt::format(" + sin({}*x)", i + 1); }))),
       ""},
      {"a long product",
       with("", of("u" + repeated(200, [](int i) { return fmt::format("*(u_x + {}*x)", i); }))),
       ""},
      {"a huge power", with("", of("u^1000000")), ""},
      {"a derivative of high order", with("", of("u_" + std::string(60, 'x'))), "at most 11"},
      {"a derivative beyond text", with("", of("u_" + std::string(5000, 'x'))), "at most 64"},
      {"a long name", with("", of(std::string(1'000'000, 'v'))), "unknown name"},
      {"mixed derivatives", with("", of("d(sin(exp(cos(x*t))), x, 5, t, 5)")), ""},
      {"mixed derivatives of deeper functions",
       with("", of("d(exp(sin(exp(cos(x*t*u)))), x, 5, t, 5)")), "grows too large"},
      {"derivatives in many dimensions", in_box(30, nested("laplacian(", 3)), "more than 4000"},
      {"chain rules of high order", in_box(6, nested("laplacian(", 5)), "terms of chain rules"},
      {"many dimensions", in_box(300, "laplacian(u)"), ""},
      {"dimensions", in_box(5000, "laplacian(u)"), "a space of 5000 coordinates, at most 2048"},
      // --- many of everything
      {"fields", system_of(300, false), ""},
      {"coupled fields", system_of(60, true), ""},
      {"conditions",
       with("", "u_t = u_xx",
            repeated(1000, "[[condition]]\nwhere = \"t = 0\"\nform = \"u = sin(pi*x)\"\n")),
       ""},
  };
}

/// Some times what the largest of them take, a second or two; a bad algorithm takes a thousand
/// times as much.
constexpr std::size_t most_allocations = 300'000'000;
constexpr double most_work = 2;  // nominal seconds
#ifdef CAUCHY_SANITIZED          // instrumented code is up to forty times slower
constexpr bool large_ones_too = false;
#else
constexpr bool large_ones_too = true;
#endif

Result run_at_once(const std::vector<std::string>& args, const std::string& name) {
  Result r;
  const Effort effort = effort_of([&] { r = run(args); });
  EXPECT_LT(effort.allocations, most_allocations) << name;
  EXPECT_LT(nominal_seconds(effort.work), most_work) << name;
  return r;
}

void expect_sentence(const Result& r, const std::string& sentence, const std::string& name) {
  EXPECT_EQ(r.code, 2) << name;
  EXPECT_EQ(r.out, "") << name;
  EXPECT_TRUE(r.err.starts_with("cauchy: ")) << name << ": " << r.err;
  EXPECT_NE(r.err.find(sentence), std::string::npos) << name << ": " << r.err;
  EXPECT_EQ(lines_of(r.err), 1u) << name << ": " << r.err;
  EXPECT_LT(r.err.size(), 500u) << name << ": " << r.err;
}

// The largest are large so that a bad algorithm shows; those that work are ordinary problems but
// for their size, which is no business of sanitizers.
TEST(AbsurdSizes, OfProblemsAreAnsweredAtOnce) {
  for (const Absurd& a : absurd_problems()) {
    if (a.sentence.empty() && !large_ones_too) continue;
    const Folder folder;
    std::vector<std::string> args{a.command, folder.write("p.toml", a.text)};
    if (a.command == "solve") args.insert(args.end(), {"--quiet", "--out", folder.file("run")});
    const Result r = run_at_once(args, a.name);
    if (a.sentence.empty()) {
      EXPECT_NE(r.code, 2) << a.name << ": " << r.err;
    } else {
      expect_sentence(r, a.sentence, a.name);
      EXPECT_EQ(folder.n_entries(), 1u) << a.name;
    }
  }
}

#ifndef CAUCHY_SANITIZED
TEST(AbsurdSizes, TheEndOfMemoryIsOneSentence) {
  // A process of its own, without the memory that other tests gave back.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto starve = [] {
    const Folder folder;
    // 58 MB by the estimate: too little to be refused before, too much for what is left.
    const std::string file = folder.write("p.toml", solved("width = 8", "interior = 800000"));
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (32U << 20U);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_AS, &limit);
    const Result r = run({"solve", file, "--quiet", "--threads", "1", "--reference", "none",
                          "--out", folder.file("run")});
    const bool clean = folder.n_entries() == 1;
    std::filesystem::remove_all(folder.path());
    fputs(r.err.c_str(), stderr);
    _exit(clean ? r.code : 1);
  };
  EXPECT_EXIT(starve(), ::testing::ExitedWithCode(2), "^cauchy: the system gave no more memory");
}
#endif

TEST(AbsurdSizes, CheckWarnsOfMemory) {
  const Folder folder;
  const Result r = run({"check", folder.write("p.toml", solved("", "interior = 1000000000000"))});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("warning      the run would take 72 TB of memory, "), std::string::npos)
      << r.out;
}

TEST(AbsurdSizes, DoubledIncludesAreReadOnce) {
  const Folder folder;
  for (int i = 0; i < 20; ++i) {
    folder.write(fmt::format("f{}.toml", i),
                 fmt::format("include = [\"f{0}.toml\", \"f{0}.toml\"]\n", i + 1));
  }
  folder.write("f20.toml", with(""));
  const Result r = run_at_once({"check", folder.file("f0.toml")}, "doubled includes");
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST(AbsurdSizes, ChainedIncludesEnd) {
  const Folder folder;
  for (int i = 0; i < 1000; ++i) {
    folder.write(fmt::format("f{}.toml", i), fmt::format("include = \"f{}.toml\"\n", i + 1));
  }
  expect_sentence(run_at_once({"check", folder.file("f0.toml")}, "chained includes"),
                  "includes are nested deeper than 50 levels", "chained includes");
}

TEST(AbsurdSizes, OfOverridesAreRefused) {
  const Folder folder;
  const std::string file = folder.write("p.toml", with(""));
  expect_sentence(
      run_at_once({"check", file, "--set", "a" + repeated(50'000, ".a") + "=1"}, "keys"),
      "the key has more than 100 parts", "keys");
  EXPECT_EQ(run_at_once({"check", file, "--set", "fields=" + repeated(30'000, "[")}, "value").code,
            2);
}

TEST(AbsurdSizes, OfPointsAndGridsAreRefused) {
  const Folder folder;
  const std::string n = "1000000000000000";
  for (const char* sampler : {"sobol", "latin_hypercube", "grid"}) {
    expect_sentence(run_at_once({"points", "disk((0, 0), 1)", "-s", sampler, "-n", n}, sampler),
                    "would take 32 PB of memory", sampler);
  }
  expect_sentence(run_at_once({"points", "disk((0, 0), 1)", "--on", "boundary", "-n", n}, "on"),
                  "would take 32 PB of memory", "boundary");
  expect_sentence(
      run({"points", "disk((0, 0), 1)", "--size", "1e9", "--out", folder.file("a.png")}), "--size",
      "size");
  EXPECT_EQ(folder.n_entries(), 0u);
}

}  // namespace
}  // namespace cauchy::testing_cli::test_absurd_sizes
