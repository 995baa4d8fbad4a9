#include <algorithm>
#include <cctype>
#include <string_view>
#include <system_error>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/report/picture.hpp>

namespace cauchy {
namespace {

constexpr std::string_view save_picture_place = "[report.picture]";

std::string lower_case_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

void write_picture(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, error))
    throw Error(ErrorKind::file,
                "cannot save " + path.string() + ": there is no folder " + folder.string(),
                save_picture_place, "make the folder first");
  if (std::filesystem::is_directory(path, error))
    throw Error(ErrorKind::file, "cannot save " + path.string() + ": it is a folder",
                save_picture_place, "name a file");

  try {
    write_file_atomically(path, bytes);
  } catch (const Error& e) {
    throw Error(e.kind(), "cannot write into the folder " + folder.string() + ": " + e.message(),
                save_picture_place,
                e.hint().empty() ? "choose a folder that you may write to" : e.hint());
  }
}

}  // namespace

void save_picture(const std::filesystem::path& path, const Picture& picture) {
  const std::string ending = lower_case_ending(path);
  if (ending == ".svg") {
    write_picture(path, to_svg(picture));
  } else if (ending == ".png") {
    const std::vector<unsigned char> png = to_png(picture, 2);
    write_picture(path, {reinterpret_cast<const char*>(png.data()), png.size()});
  } else {
    throw Error("cannot save a picture as '" + path.string() + "': the ending is not known",
                save_picture_place, "end the name in .svg or .png");
  }
}

}  // namespace cauchy
