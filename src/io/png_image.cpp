#include <cauchy/io/png_image.hpp>

#include <vector>

#include <fmt/format.h>
#include <png.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/io/files.hpp>

namespace cauchy {
namespace {

/// libpng's simple reader, which reports by a status and frees what it holds.
struct PngReader {
  png_image image = {};
  PngReader() { image.version = PNG_IMAGE_VERSION; }
  ~PngReader() { png_image_free(&image); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

}  // namespace

GrayImage parse_png(std::string_view bytes, std::string_view name) {
  PngReader reader;
  const auto failed = [&] {
    return Error(ErrorKind::file, fmt::format("cannot be read as PNG: {}", reader.image.message),
                 name, "save it again as PNG");
  };
  if (png_image_begin_read_from_memory(&reader.image, bytes.data(), bytes.size()) == 0) {
    throw failed();
  }
  reader.image.format = PNG_FORMAT_GA;
  const std::size_t rows = reader.image.height, cols = reader.image.width;
  require_memory(18.0 * static_cast<double>(rows) * static_cast<double>(cols), "the picture",
                 "use a smaller one", name);
  std::vector<png_byte> pixels(2 * rows * cols);
  if (png_image_finish_read(&reader.image, nullptr, pixels.data(), 0, nullptr) == 0) {
    throw failed();
  }
  GrayImage out{Matrix(rows, cols), Matrix(rows, cols)};
  for (std::size_t k = 0; k < rows * cols; ++k) {
    out.gray.data()[k] = pixels[2 * k] / 255.0;
    out.alpha.data()[k] = pixels[2 * k + 1] / 255.0;
  }
  return out;
}

GrayImage read_png(const std::filesystem::path& file) {
  return parse_png(read_file(file), file.string());
}

}  // namespace cauchy
