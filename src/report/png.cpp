#include <png.h>

#include <cauchy/base/error.hpp>
#include <cauchy/report/png.hpp>
#include <csetjmp>
#include <cstring>
#include <limits>
#include <new>
#include <string>

namespace cauchy {
namespace {

// What libpng's callbacks reach. Everything with a destructor lives in encode_png's frame, outside
// the frame that longjmp leaves.
struct Sink {
  std::vector<unsigned char>* bytes;
  char message[256];
  std::jmp_buf jump;
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* sink = static_cast<Sink*>(png_get_error_ptr(png));
  std::strncpy(sink->message, message, sizeof(sink->message) - 1);
  std::longjmp(sink->jump, 1);
}

void on_warning(png_structp, png_const_charp) {}  // the library never prints

void on_write(png_structp png, png_bytep data, std::size_t size) {
  auto* sink = static_cast<Sink*>(png_get_io_ptr(png));
  bool written = true;
  try {
    sink->bytes->insert(sink->bytes->end(), data, data + size);
  } catch (const std::bad_alloc&) {
    written = false;  // the exception must not cross C code, and its handler must be left first
  }
  if (!written) png_error(png, "out of memory");
}

void on_flush(png_structp) {}

// Only trivial objects here: longjmp comes back into this frame. Returns false after an error.
bool write_image(Sink& sink, png_structp png, png_infop info, png_uint_32 width, png_uint_32 height,
                 int color_type, const unsigned char* pixels, std::size_t row_bytes) {
  if (setjmp(sink.jump) != 0) return false;
  png_set_write_fn(png, &sink, on_write, on_flush);
  png_set_IHDR(png, info, width, height, 8, color_type, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (png_uint_32 y = 0; y < height; ++y) png_write_row(png, pixels + y * row_bytes);
  png_write_end(png, info);
  return true;
}

}  // namespace

std::vector<unsigned char> encode_png(std::size_t width, std::size_t height,
                                      std::span<const unsigned char> pixels) {
  constexpr std::size_t max_side = 1'000'000;
  const std::string place = "[report.png]";
  if (width == 0 || height == 0 || width > max_side || height > max_side)
    throw Error("a PNG image needs 1 to 1,000,000 pixels per side, got " + std::to_string(width) +
                    " x " + std::to_string(height),
                place);
  const std::size_t area = width * height;
  if (pixels.size() != 3 * area && pixels.size() != 4 * area)
    throw Error(std::to_string(pixels.size()) + " bytes are neither RGB nor RGBA of " +
                    std::to_string(width) + " x " + std::to_string(height) + " pixels",
                place, "pass 3 or 4 bytes per pixel");
  const std::size_t channels = pixels.size() / area;

  std::vector<unsigned char> bytes;
  Sink sink{&bytes, {}, {}};
  png_structp png = nullptr;
  png_infop info = nullptr;
  png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, on_error, on_warning);
  if (png != nullptr) info = png_create_info_struct(png);
  const bool done =
      info != nullptr && write_image(sink, png, info, static_cast<png_uint_32>(width),
                                     static_cast<png_uint_32>(height),
                                     channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
                                     pixels.data(), channels * width);
  png_destroy_write_struct(&png, &info);
  if (!done)
    throw Error(std::string("cannot write a PNG image: ") +
                    (sink.message[0] != '\0' ? sink.message : "libpng did not start"),
                place);
  return bytes;
}

}  // namespace cauchy
