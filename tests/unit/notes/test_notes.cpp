#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/io/files.hpp>
#include <cauchy/report/figure.hpp>

#include "notes/formula.hpp"
#include "notes/notes_command.hpp"
#include "notes/result.hpp"
#include "notes/site.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_notes {
namespace {

namespace fs = std::filesystem;
using namespace cauchy::notes;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path root = fs::path(CAUCHY_TEST_DATA).parent_path().parent_path();

TEST(NotesFormulas, BecomeMathml) {
  const std::string f = formula_to_mathml(R"(\frac{\partial u}{\partial t} = \nu u_{xx}^2)");
  EXPECT_THAT(f, HasSubstr("<mfrac><mrow><mi>∂</mi><mi>u</mi></mrow>"));
  EXPECT_THAT(f, HasSubstr("<msubsup><mi>u</mi><mrow><mi>x</mi><mi>x</mi></mrow><mn>2</mn>"));
  EXPECT_THAT(formula_to_mathml(R"(\sum_{i=1}^n x_i)"), HasSubstr("<munderover><mo>∑</mo>"));
  EXPECT_THAT(formula_to_mathml(R"(\left\| u \right\|_2)"), HasSubstr("<msub><mrow><mo>‖</mo>"));
  EXPECT_THAT(formula_to_mathml("a < 1.5"), HasSubstr("<mo>&lt;</mo><mn>1.5</mn>"));
  EXPECT_THAT(message_of([] { (void)formula_to_mathml(R"(\fraq{1}{2})"); }),
              HasSubstr("the command \\fraq is not known"));
  EXPECT_THAT(message_of([] { (void)formula_to_mathml("{a"); }), HasSubstr("not closed"));
  EXPECT_THAT(message_of([] { (void)formula_to_mathml("a}"); }), HasSubstr("nothing opens"));
}

TEST(NotesTable, EntriesAreWholeAndInOrder) {
  std::set<std::string> ids;
  std::pair<int, int> last = {0, 0};
  for (const Artefact& a : all_artefacts()) {
    EXPECT_TRUE(ids.insert(a.id).second) << a.id;
    EXPECT_EQ(a.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
    EXPECT_FALSE(a.title.empty() || a.says.empty() || a.lines.empty()) << a.id;
    EXPECT_TRUE(fs::exists(root / "notes" / a.file)) << a.id << ": " << a.file;
    EXPECT_TRUE(a.page.empty() || fs::exists(root / "docs" / a.page.substr(0, a.page.find('#'))))
        << a.id << ": " << a.page;
    EXPECT_NE(a.make, nullptr) << a.id;
    std::istringstream lines(a.formula);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_NO_THROW((void)formula_to_mathml(line)) << a.id;
    }
    const std::pair<int, int> place = {a.lecture, std::stoi(a.lines)};
    EXPECT_LE(last, place) << a.id;
    last = place;
  }
  EXPECT_THAT(message_of([] { (void)find_artefact("robin-rots"); }),
              HasSubstr("did you mean 'robin-roots'?"));
}

void good(Output& out) {
  Plot plot;
  plot.line(std::vector<double>{0, 1}, std::vector<double>{0, 1});
  out.picture("line", draw_figure({&plot}), "a line");
  out.table("numbers", {{"a", "b"}, {"1", "x, y"}}, "a table");
  out.text("one < `two`");
  out.check("half", 0.5, 0.5, 0);
}
void wrong(Output& out) {
  out.check("half", 0.6, 0.5, 0.01);
  out.require("the sun is cold", false);
}
void not_a_number(Output& out) { out.check("half", NAN, 0.5, 1e9); }
void throws(Output&) { throw std::runtime_error("no luck"); }
void unchecked(Output& out) { out.text("trust me"); }

Artefact entry(const char* id, void (*make)(Output&)) {
  return {.id = id,
          .lecture = 1,
          .lines = "1",
          .title = id,
          .formula = "a^2",
          .says = "it <is>",
          .truth = "it is not",
          .file = "none.cpp",
          .make = make};
}

TEST(NotesResults, AreKeptAndJudged) {
  const TemporaryFolder folder;
  const std::vector<Artefact> all = {entry("good", good),           entry("wrong", wrong),
                                     entry("nan", not_a_number),    entry("throws", throws),
                                     entry("unchecked", unchecked), entry("missing", good)};
  for (const Artefact& a : all) {
    if (a.id == "missing") continue;
    const auto made = make(a, folder.path(), 1);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->passed(), a.id == "good") << a.id;
    const auto loaded = load(a, folder.path());
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->passed(), made->passed()) << a.id;
    EXPECT_EQ(loaded->blocks.size(), made->blocks.size());
    EXPECT_EQ(loaded->checks.size(), made->checks.size());
  }
  EXPECT_FALSE(load(all.back(), folder.path()));
  EXPECT_EQ(read_file(folder.path() / "good/numbers.csv"), "a,b\n1,\"x, y\"\n");
  write_site(all, folder.path(), {.sources = {}, .docs = "../docs"});
  const std::string page = read_file(folder.path() / "lecture_1.html");
  EXPECT_THAT(page, HasSubstr("<section class=\"card\" id=\"good\">"));
  EXPECT_THAT(page, HasSubstr("<img src=\"good/line.svg\""));
  EXPECT_THAT(page, HasSubstr("one &lt; <code>two</code>"));
  EXPECT_THAT(page, HasSubstr("<section class=\"card failed\" id=\"wrong\">"));
  EXPECT_THAT(page, HasSubstr("no luck"));
  EXPECT_THAT(page, HasSubstr("cauchy notes run missing"));
  EXPECT_THAT(read_file(folder.path() / "index.html"), HasSubstr("4 with a failed check"));
  // Damaged results are made again.
  std::ofstream(folder.path() / "good/result.json") << "{";
  EXPECT_FALSE(load(all[0], folder.path()));
}

TEST(NotesSources, ShowTheLinesThatCount) {
  EXPECT_EQ(shown_source("#include <a>\n\nnamespace x {\n\nvoid make() {\n}\n\nArtefact e() {\n"),
            "void make() {\n}\n");
}

TEST(NotesCommand, ListsRunsAndSaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::string site = (folder.path() / "deep" / "site").string();
  const auto run = [&](std::vector<std::string> args) {
    std::ostringstream out, err;
    const int code = run_notes(args, out, err, root / "notes");
    return std::pair(code, out.str() + err.str());
  };
  EXPECT_THAT(run({}).second, HasSubstr("robin-roots"));
  EXPECT_THAT(run({"list", "--json"}).second, HasSubstr("\"id\": \"robin-roots\""));
  const auto [code, text] = run({"run", "robin-roots", "--out", site});
  EXPECT_EQ(code, 0) << text;
  EXPECT_TRUE(fs::exists(fs::path(site) / "index.html"));
  EXPECT_THAT(read_file(fs::path(site) / "lecture_1.html"), HasSubstr("changes of sign"));
  EXPECT_THAT(run({"run", "robin-roots", "--out", site}).second, HasSubstr("there already"));
  EXPECT_THAT(run({"run", "robin-roots", "--again", "--out", site}).second,
              Not(HasSubstr("there already")));
  EXPECT_EQ(run({"run", "no-such-thing", "--out", site}).first, 2);
  EXPECT_EQ(run({"run", "--out", site}).first, 2);
  EXPECT_EQ(run({"fly"}).first, 2);
}

}  // namespace
}  // namespace cauchy::test_notes
