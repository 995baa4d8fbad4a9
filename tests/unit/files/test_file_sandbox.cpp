// Files that problem files name: those outside of the folder are told, can be refused, and are
// never quoted.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cauchy/files/dynamics_file.hpp>
#include <cauchy/files/file_sandbox.hpp>
#include <cauchy/files/problem_file.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_file_sandbox {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
namespace fs = std::filesystem;

constexpr const char* base = R"toml(fields = ["u"]
[domain]
time = { t = [0, 1] }
[[equation]]
form = "u_t = -u"
[[condition]]
where = "t = 0"
form = "u = 1"
)toml";
constexpr const char* secret = "machine bank login me password hunter2\n";

/// home/secret.txt, home/base.toml, home/work/ with a problem and what it may name.
class Home {
 public:
  Home() {
    fs::create_directories(folder_ / "home/work/data");
    write("secret.txt", secret);
    write("base.toml", base);
    write("values.csv", "t,u\n0,1\n1,0.4\n");
    write("work/data/values.csv", "t,u\n0,1\n1,0.4\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  [[nodiscard]] fs::path path(const std::string& name) const { return folder_ / "home" / name; }
  /// Of home/work/problem.toml with this text.
  void read(const std::string& text) const {
    write("work/problem.toml", text);
    (void)read_problem_file(path("work/problem.toml"));
  }
  [[nodiscard]] std::string error(const std::string& text) const {
    return error_of([&] { read(text); });
  }

 private:
  TemporaryFolder folder_;
};

std::string with_reference(const std::string& file) {
  return std::string(base) + "[reference]\nfile = \"" + file + "\"\n";
}

TEST(FileSandbox, TellsWhatLiesOutside) {
  const Home home;
  const FileSandbox files(false);
  home.read(with_reference("data/../data/values.csv"));
  EXPECT_THAT(files.outside(), IsEmpty());
  home.read(with_reference("../values.csv"));
  home.read(with_reference("../values.csv"));
  home.read("include = \"../base.toml\"\n");
  const std::string absolute = home.path("values.csv").string();
  home.read(with_reference(absolute));
  EXPECT_THAT(files.outside(), ElementsAre("../values.csv", "../base.toml", absolute));
}

TEST(FileSandbox, RefusesWhatLiesOutside) {
  const Home home;
  const FileSandbox files(true);
  home.read(with_reference("data/values.csv"));
  fs::create_symlink(home.path("values.csv"), home.path("work/link.csv"));
  fs::create_directory_symlink(home.path("work/data"), home.path("work/inside"));
  home.read(with_reference("inside/values.csv"));
  for (const std::string& text :
       {with_reference("../values.csv"), with_reference(home.path("values.csv").string()),
        with_reference("link.csv"), with_reference("../work/../values.csv"),
        with_reference("../not_there.csv"), std::string("include = \"../base.toml\"\n"),
        std::string(base) + "[method]\nkind = \"pinn\"\nstart = \"../start.npz\"\n"}) {
    EXPECT_THAT(home.error(text), HasSubstr("lies outside of the folder of the problem file"))
        << text;
  }
  for (const char* domain : {"mesh = \"../part.msh\"", "region = \"surface(\\\"../part.stl\\\")\"",
                             "region = \"surface('/etc/passwd')\"",
                             "region = \"disk((0, 0), 1) | surface ( '/etc/passwd')\""}) {
    std::string text = base;
    text.replace(text.find("time ="), 21, domain);
    EXPECT_THAT(home.error(text), HasSubstr("lies outside of the folder")) << text;
  }
  home.write("work/dynamics.toml",
             "fields = [\"u\"]\n[dynamics]\ndata = \"../values.csv\"\n[[equation]]\nform = \"u_t = "
             "-u\"\n");
  EXPECT_THAT(error_of([&] { (void)read_dynamics_file(home.path("work/dynamics.toml")); }),
              HasSubstr("lies outside of the folder"));
}

TEST(FileSandbox, EndsWithItself) {
  const Home home;
  { const FileSandbox files(true); }
  home.read(with_reference("../values.csv"));
}

TEST(FileSandbox, OverridesNameAnyFile) {
  const Home home;
  home.write("work/problem.toml", with_reference("data/values.csv"));
  const FileSandbox files(true);
  const std::string other = "reference.file=\"" + home.path("values.csv").string() + "\"";
  (void)read_problem_file(home.path("work/problem.toml"), {other});
  EXPECT_THAT(files.outside(), IsEmpty());
}

TEST(FilesOutside, AreNeverQuoted) {
  const Home home;
  home.write("keys.toml", "[registry]\ntoken = \"hunter2\"\n");
  home.write("typo.toml", std::string(base) + "tolerance = \"hunter2\"\n");
  home.write("numbers.csv", "t,hunter2\n0,1\n1,bank\n");
  std::vector<std::string> texts = {"include = \"../secret.txt\"\n", "include = \"../keys.toml\"\n",
                                    "include = \"../typo.toml\"\n", with_reference("../secret.txt"),
                                    with_reference("../numbers.csv")};
  for (const char* domain : {"mesh = \"../secret.txt\"", "region = \"surface('../secret.txt')\""}) {
    texts.emplace_back(base);
    texts.back().replace(texts.back().find("time ="), 21, domain);
  }
  for (const std::string& text : texts) {
    const std::string said = home.error(text);
    EXPECT_THAT(said, Not(HasSubstr("hunter2"))) << text;
    EXPECT_THAT(said, Not(HasSubstr("bank"))) << text;
    EXPECT_THAT(said, Not(HasSubstr("registry"))) << text;
    EXPECT_FALSE(said.empty());
  }
  // Beside the problem everything is said.
  home.write("work/typo.toml", std::string(base) + "tolerance = \"hunter2\"\n");
  EXPECT_THAT(home.error("include = \"typo.toml\"\n"), HasSubstr("tolerance"));
}

}  // namespace
}  // namespace cauchy::test_file_sandbox
