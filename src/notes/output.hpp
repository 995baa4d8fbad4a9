#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cauchy/base/progress.hpp>
#include <cauchy/report/picture.hpp>

namespace cauchy::notes {

/// A number that was computed beside the one that it should be, or a statement that should hold.
struct Check {
  std::string what;
  double value = 0, expected = 0, tolerance = 0;  ///< |value - expected| <= tolerance
  bool is_statement = false;                      ///< value 1: it holds
  [[nodiscard]] bool passed() const;              ///< NaN does not
};

/// What an artefact has to show, in the order in which it was said.
struct PictureBlock {
  std::string file, caption;  ///< an SVG file in the folder
};
struct TableBlock {
  std::string file, caption;                   ///< a CSV file in the folder
  std::vector<std::vector<std::string>> rows;  ///< the first is the head
};
struct TextBlock {
  std::string text;
};
struct CodeBlock {
  std::string caption, text;
};
using Block = std::variant<PictureBlock, TableBlock, TextBlock, CodeBlock>;

/// Where an artefact puts its results: files in a folder, and a page that shows them.
class Output final {
 public:
  /// The folder is made.
  ///   error    throws Error when it cannot be
  Output(std::filesystem::path folder, int threads, Progress* progress = nullptr);

  // Names of files have no ending: it follows from what they are.

  void picture(std::string_view name, const Picture& picture, std::string caption = {});
  /// Panels beside each other; look at draw_figure().
  void table(std::string_view name, std::vector<std::vector<std::string>> rows,
             std::string caption = {});
  void text(std::string paragraph);
  /// Lines as they are: a problem file, what a program printed.
  void code(std::string text, std::string caption = {});

  /// Fails unless |value - expected| <= tolerance.
  void check(std::string what, double value, double expected, double tolerance);
  /// Fails unless it holds.
  void require(std::string what, bool holds);

  [[nodiscard]] int threads() const noexcept { return threads_; }
  [[nodiscard]] Progress* progress() const noexcept { return progress_; }
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  [[nodiscard]] const std::vector<Block>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] const std::vector<Check>& checks() const noexcept { return checks_; }

 private:
  std::filesystem::path folder_;
  int threads_;
  Progress* progress_;
  std::vector<Block> blocks_;
  std::vector<Check> checks_;
};

}  // namespace cauchy::notes
