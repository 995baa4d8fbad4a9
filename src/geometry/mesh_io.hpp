#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include <cauchy/geometry/shapes/triangle_surface.hpp>

namespace cauchy::detail::mesh_io {

/// read_mesh for a file in memory.
[[nodiscard]] TriangleMesh parse_mesh(std::string_view bytes, const std::filesystem::path& file);
/// The formats. `file` is the name for messages.
[[nodiscard]] TriangleMesh read_binary_stl(std::string_view bytes, const std::string& file);
[[nodiscard]] TriangleMesh read_text_stl(std::string_view text, const std::string& file);
[[nodiscard]] TriangleMesh read_obj(std::string_view text, const std::string& file);

/// The groups of a mesh that is being read.
class GroupIndex {
 public:
  explicit GroupIndex(TriangleMesh& mesh) : groups_(mesh.groups) {}
  /// The number of an existing or new group; blanks within the name become "_", no name "surface".
  std::uint32_t number(std::string_view name);

 private:
  std::vector<std::string>& groups_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Words of a text with their places. Lines end with LF or CR LF.
class WordScanner {
 public:
  WordScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// The next word of this line, empty at its end. A backslash at the end of a line joins the next.
  std::string_view word();
  /// The rest of this line without blanks at the ends.
  std::string_view rest();
  /// The next word on this or a later line, empty at the end of the text.
  std::string_view word_anywhere();
  /// Goes to the next line; false at the end of the text.
  bool next_line();

  /// A finite number from a word of this scanner. Throws Error at the place of the word.
  [[nodiscard]] double number(std::string_view word) const;
  /// "file:line:column" of a word of this scanner. O(file).
  [[nodiscard]] std::string place(std::string_view word) const;
  /// "file:line:column" of where the scanner stands.
  [[nodiscard]] std::string place() const { return place(text_.substr(at_, 0)); }

 private:
  void skip_blanks();

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

/// Whether a word is `keyword`, which is in lower case, in any mixture of cases.
[[nodiscard]] bool is_keyword(std::string_view word, std::string_view keyword);

/// For messages: at most 32 characters, printable ones only.
[[nodiscard]] std::string shown(std::string_view word);

}  // namespace cauchy::detail::mesh_io
