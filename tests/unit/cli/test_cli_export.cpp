#include <gmock/gmock.h>

#include <cauchy/files/problem_file.hpp>
#include <cauchy/io/npz.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_export {
namespace {

using namespace testing_cli;
using ::testing::HasSubstr;

TEST(ExportCommand, WritesAHeaderAndArraysThatAnotherRunStartsFrom) {
  const Folder folder;
  const std::string file = folder.write("decay.toml", decay), out = folder.file("run");
  ASSERT_EQ(run({"solve", file, "--out", out, "--quiet"}).code, 0);
  const std::string header = folder.file("u.hpp"), npz = folder.file("u.npz");
  const Result r =
      run({"export", out, "--header", header, "--derivatives", "u_t, u_tt", "--npz", npz});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, header + "\n" + npz + "\n");
  const std::string text = content(header);
  for (const char* part : {"namespace decay {", "double u(double t)", "double u_t(double t)",
                           "double u_tt(double t)", "Jet jet(double t)"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_EQ(read_npz(npz).at("hidden0.weight").shape, (std::vector<std::size_t>{8, 1}));
  const Result again = run({"check", file, "--set", "method.start=" + npz});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(run({"export", out, "--header", header, "--name", "other"}).code, 2) << "it exists";
  EXPECT_EQ(run({"export", out, "--header", header, "--name", "other", "--force"}).code, 0);
  EXPECT_THAT(content(header), HasSubstr("namespace other {"));
}

TEST(ExportCommand, NothingThatAProblemSaysBecomesCode) {
  const Folder folder;
  const std::string name = R"(decay\n#include \"/etc/passwd\"\nint evil = 1; ?)"
                           R"(?/\u2028*/\r\\)";
  const std::string title = "</title></script><script>alert(1)</script>";
  std::string text = decay;
  text.replace(text.find("\"decay\""), 7, "\"" + name + "\"");
  text.replace(text.find("Exponential decay"), 17, title);
  const std::string file = folder.write("decay.toml", text), out = folder.file("run");
  const std::string header = folder.file("u.hpp");
  ASSERT_EQ(run({"solve", file, "--out", out, "--quiet"}).code, 0);
  ASSERT_EQ(run({"export", out, "--header", header}).code, 0);
  const std::string code = content(header);
  EXPECT_TRUE(code.starts_with("// decay #include")) << code.substr(0, 200);
  EXPECT_EQ(code.find("\n#pragma once\n"), code.find('\n')) << "one comment, and it is one line";
  EXPECT_EQ(code.find('\\'), std::string::npos);
  EXPECT_EQ(code.find("?\?/"), std::string::npos);
  EXPECT_THAT(code, HasSubstr("namespace decay__include"));
  const std::string html = content(out + "/report.html");
  EXPECT_EQ(html.find("<script>"), html.rfind("<script>")) << "our own";
  EXPECT_EQ(html.find("alert(1)</script>"), std::string::npos);
  const ProblemFile again = read_problem_file(out + "/problem.toml");
  EXPECT_EQ(again.problem.name, read_problem_file(file).problem.name);
  EXPECT_EQ(again.problem.title, title);
}

TEST(ExportCommand, SaysWhatIsWrong) {
  const Folder folder;
  const std::string out = folder.file("run");
  ASSERT_EQ(run({"solve", folder.write("decay.toml", decay), "--out", out, "--quiet"}).code, 0);
  const auto message = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"export", out});
    const Result r = run(words);
    EXPECT_EQ(r.code, 2);
    return r.err;
  };
  EXPECT_THAT(message({}), HasSubstr("give --header u.hpp or --npz u.npz"));
  EXPECT_THAT(message({"--npz", folder.file("a.npz"), "--name", "a"}), HasSubstr("--header"));
  EXPECT_THAT(message({"--header", folder.file("a.hpp"), "--derivatives", "v_t"}), HasSubstr("'v"));
  EXPECT_THAT(message({"--header", folder.file("a.hpp"), "--derivatives", "2*u"}),
              HasSubstr("is not a field of the network"));
}

}  // namespace
}  // namespace cauchy::test_cli_export
