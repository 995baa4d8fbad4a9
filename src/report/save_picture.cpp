#include <algorithm>
#include <cauchy/base/error.hpp>
#include <cauchy/report/picture.hpp>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

namespace cauchy {
namespace {

constexpr std::string_view save_picture_place = "[report.picture]";

std::string lower_case_ending(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

// Removes the unfinished file unless it has been renamed.
struct Unfinished {
  std::filesystem::path path;
  ~Unfinished() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove(path, ignored);
  }
};

void write_file(const std::filesystem::path& path, const char* data, std::size_t size) {
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, error))
    throw Error("cannot save " + path.string() + ": there is no folder " + folder.string(),
                save_picture_place, "make the folder first");
  if (std::filesystem::is_directory(path, error))
    throw Error("cannot save " + path.string() + ": it is a folder", save_picture_place,
                "name a file");

  // A name that no other picture uses: two writers of different files never meet.
  Unfinished unfinished{folder / ("." + path.filename().string() + ".part")};
  errno = 0;
  std::ofstream file(unfinished.path, std::ios::binary | std::ios::trunc);
  const auto reason = [] { return errno != 0 ? std::strerror(errno) : "writing failed"; };
  if (!file) {
    const std::string why = reason();
    unfinished.path.clear();
    throw Error("cannot write into the folder " + folder.string() + ": " + why, save_picture_place,
                "choose a folder that you may write to");
  }
  file.write(data, static_cast<std::streamsize>(size));
  file.close();
  if (!file) throw Error("cannot save " + path.string() + ": " + reason(), save_picture_place);
  std::filesystem::rename(unfinished.path, path, error);
  if (error)
    throw Error("cannot save " + path.string() + ": " + error.message(), save_picture_place);
  unfinished.path.clear();
}

}  // namespace

void save_picture(const std::filesystem::path& path, const Picture& picture) {
  const std::string ending = lower_case_ending(path);
  if (ending == ".svg") {
    const std::string svg = to_svg(picture);
    write_file(path, svg.data(), svg.size());
  } else if (ending == ".png") {
    const std::vector<unsigned char> png = to_png(picture, 2);
    write_file(path, reinterpret_cast<const char*>(png.data()), png.size());
  } else {
    throw Error("cannot save a picture as '" + path.string() + "': the ending is not known",
                save_picture_place, "end the name in .svg or .png");
  }
}

}  // namespace cauchy
