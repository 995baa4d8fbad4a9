#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/report/picture.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace cauchy {
namespace {

namespace fs = std::filesystem;

class PictureSave : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("cauchy_picture_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string contents(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t n_files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  static std::string error_of(const fs::path& path) {
    try {
      save_picture(path, Picture(10, 10));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(PictureSave, EndingChoosesTheFormat) {
  const Picture picture(10, 10);
  save_picture(folder_ / "a.svg", picture);
  save_picture(folder_ / "b.PNG", picture);
  EXPECT_EQ(contents(folder_ / "a.svg"), to_svg(picture));
  const auto png = to_png(picture, 2);
  EXPECT_EQ(contents(folder_ / "b.PNG"), std::string(png.begin(), png.end()));
  EXPECT_EQ(n_files(), 2u);  // no unfinished file is left
}

TEST_F(PictureSave, AnOlderFileIsReplaced) {
  std::ofstream(folder_ / "a.svg") << std::string(100'000, 'x');
  save_picture(folder_ / "a.svg", Picture(10, 10));
  EXPECT_EQ(contents(folder_ / "a.svg"), to_svg(Picture(10, 10)));
}

TEST_F(PictureSave, OtherEndingsAreErrorsThatNameTheTwo) {
  for (const char* name : {"a.jpg", "a", "a.svg.gz", ".svg"}) {
    const std::string text = error_of(folder_ / name);
    EXPECT_NE(text.find("end the name in .svg or .png"), std::string::npos) << name << text;
    EXPECT_NE(text.find("[report.picture]"), std::string::npos);
  }
  EXPECT_EQ(n_files(), 0u);
}

TEST_F(PictureSave, MissingFolderIsNamed) {
  const std::string text = error_of(folder_ / "missing" / "a.png");
  EXPECT_NE(text.find("there is no folder " + (folder_ / "missing").string()), std::string::npos)
      << text;
}

TEST_F(PictureSave, FolderInPlaceOfTheFileIsAnError) {
  fs::create_directories(folder_ / "a.png");
  EXPECT_NE(error_of(folder_ / "a.png").find("it is a folder"), std::string::npos);
}

TEST_F(PictureSave, FolderThatCannotBeWrittenIsAnError) {
  // Nobody may make files there, not even the system's administrator.
  if (!fs::is_directory("/proc/self")) GTEST_SKIP() << "needs /proc";
  const std::string text = error_of("/proc/self/a.svg");
  EXPECT_NE(text.find("cannot write into the folder /proc/self: "), std::string::npos) << text;
}

}  // namespace
}  // namespace cauchy
