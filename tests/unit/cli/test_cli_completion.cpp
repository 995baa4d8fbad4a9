#include <array>
#include <cstdio>
#include <memory>

#include <nlohmann/json.hpp>

#include "support/cli_support.hpp"

namespace cauchy::test_cli_completion {
namespace {

using namespace testing_cli;

const std::vector<std::string> commands{"solve",  "check", "predict",     "compare", "study",
                                        "points", "mesh",  "reconstruct", "list",    "completion"};

TEST(CompletionCommand, KnowsEveryCommandInEveryShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Result r = run({"completion", shell});
    EXPECT_EQ(r.code, 0);
    for (const std::string& name : commands) {
      EXPECT_NE(r.out.find(name), std::string::npos) << name << " in " << shell;
    }
    for (const char* option : {"max-seconds", "grid", "variant", "randomize", "folder"}) {
      EXPECT_NE(r.out.find(option), std::string::npos) << option << " in " << shell;
    }
  }
  EXPECT_EQ(run({"completion", "tcsh"}).code, 2);
}

/// What bash offers for the last of the words.
std::string offers(const std::string& script, const std::string& words, int count) {
  const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + words +
                              "); COMP_CWORD=" + std::to_string(count) +
                              "; _cauchy; echo \"${COMPREPLY[@]}\"'";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             ::pclose);
  std::string text;
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr) {
    text += line.data();
  }
  return text;
}

TEST(CompletionCommand, CompletesInBash) {
  const Folder folder;
  const std::string script = folder.write("script", run({"completion", "bash"}).out);
  EXPECT_EQ(offers(script, "cauchy so", 1), "solve\n");
  EXPECT_EQ(offers(script, "cauchy solve a.toml --max", 3), "--max-seconds\n");
  EXPECT_EQ(offers(script, "cauchy solve --precision f", 3), "f64 f32\n");
  EXPECT_EQ(offers(script, "cauchy list act", 2), "activations\n");
  EXPECT_EQ(offers(script, "cauchy solve burg", 2),
            "burgers burgers_front_2d burgers_inverse burgers_inverse_noisy burgers_system_2d\n");
  const std::string file = folder.write("burgers.toml", "");
  EXPECT_EQ(offers(script, "cauchy check " + folder.file("bur"), 2), file + "\n");
}

TEST(CompletionCommand, NamesOfFilesAreNoCommands) {
  const Folder folder;
  for (const char* name : {"good-1.toml", "$(touch made).toml", "`touch made`.toml", "a\" b.toml",
                           "c; touch made.toml", "it's.toml", "x\ny.toml"}) {
    folder.write(name, decay);
  }
  ::setenv("CAUCHY_PROBLEMS", folder.file("").c_str(), 1);
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string text = run({"completion", shell}).out;
    EXPECT_NE(text.find("good-1"), std::string::npos) << shell;
    for (const char* part : {"touch", "a\" b", "it's", "x\ny"}) {
      EXPECT_EQ(text.find(part), std::string::npos) << shell << ": " << part;
    }
  }
  const std::string script = folder.write("script", run({"completion", "bash"}).out);
  ::unsetenv("CAUCHY_PROBLEMS");
  EXPECT_EQ(offers(script, "cauchy solve good", 2), "good-1\n");
}

TEST(ListCommand, KnowsEveryTopic) {
  const Folder folder;
  folder.write("decay.toml", decay);
  folder.write("bad.toml", "x");
  const Result r = run({"list", "--folder", folder.file("")});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* word : {"  tanh\n", "  lbfgs", "  burgers_cole_hopf", "decay.toml",
                           "Exponential decay", "cannot be read: "}) {
    EXPECT_NE(r.out.find(word), std::string::npos) << word;
  }
  const auto json = nlohmann::json::parse(run({"list", "optimizers", "--json"}).out);
  EXPECT_EQ(json.at("optimizers")[0].at("name"), "gradient_descent");
  EXPECT_EQ(run({"list", "problems", "--folder", "/no/such/folder"}).code, 2);
  EXPECT_EQ(run({"list", "nonsense"}).code, 2);
}

TEST(Program, SaysOneSentenceAboutWrongWords) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"nonsense"}, {"solve"}, {"list", "--nonsense"}}) {
    const Result r = run(words);
    EXPECT_EQ(r.code, 2);
    EXPECT_EQ(lines_of(r.err), 1u) << r.err;
    EXPECT_TRUE(r.err.starts_with("cauchy: ")) << r.err;
  }
}

}  // namespace
}  // namespace cauchy::test_cli_completion
