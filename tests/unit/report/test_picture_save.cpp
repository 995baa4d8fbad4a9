#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/report/picture.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"

namespace cauchy::test_picture_save {
namespace {

namespace fs = std::filesystem;

class PictureSave : public ::testing::Test {
 protected:
  static std::string error_of(const fs::path& path) {
    return message_of([&] { save_picture(path, Picture(10, 10)); });
  }
  const TemporaryFolder folder_;
};

TEST_F(PictureSave, EndingChoosesTheFormat) {
  const Picture picture(10, 10);
  save_picture(folder_ / "a.svg", picture);
  save_picture(folder_ / "b.PNG", picture);
  EXPECT_EQ(content(folder_ / "a.svg"), to_svg(picture));
  const auto png = to_png(picture, 2);
  EXPECT_EQ(content(folder_ / "b.PNG"), std::string(png.begin(), png.end()));
  EXPECT_EQ(folder_.n_entries(), 2u);  // no unfinished file is left
}

TEST_F(PictureSave, AnOlderFileIsReplaced) {
  std::ofstream(folder_ / "a.svg") << std::string(100'000, 'x');
  save_picture(folder_ / "a.svg", Picture(10, 10));
  EXPECT_EQ(content(folder_ / "a.svg"), to_svg(Picture(10, 10)));
}

TEST_F(PictureSave, OtherEndingsAreErrorsThatNameTheTwo) {
  for (const char* name : {"a.jpg", "a", "a.svg.gz", ".svg"}) {
    const std::string text = error_of(folder_ / name);
    EXPECT_NE(text.find("end the name in .svg or .png"), std::string::npos) << name << text;
    EXPECT_NE(text.find("[report.picture]"), std::string::npos);
  }
  EXPECT_EQ(folder_.n_entries(), 0u);
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
}  // namespace cauchy::test_picture_save
