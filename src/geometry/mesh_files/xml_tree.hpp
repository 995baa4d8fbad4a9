#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/mesh_io.hpp"

namespace cauchy::detail {

/// An element of an XML text: names, attributes and text are views into it.
struct XmlNode {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  std::string_view text;  ///< up to the first child or the end
  std::vector<const XmlNode*> children;

  /// Empty when there is none.
  [[nodiscard]] std::string_view attribute(std::string_view key) const;
  /// The first child of this name; null when there is none.
  [[nodiscard]] const XmlNode* child(std::string_view key) const;
};

/// The elements of a text that is XML enough for VTK and XDMF: no DTD of its own, entities only in
/// values. Keeps views into the text.
class XmlTree final {
 public:
  ///   error    throws Error with the place: a tag without end, ends that do not match, a root
  ///            missing, more than 64 levels
  XmlTree(std::string_view text, const mesh_io::WordScanner& scanner);
  [[nodiscard]] const XmlNode& root() const { return nodes_.front(); }

 private:
  std::deque<XmlNode> nodes_;
};

/// The words of a text between blanks.
[[nodiscard]] std::vector<std::string_view> xml_words(std::string_view text);

/// &lt; and its like as characters.
[[nodiscard]] std::string xml_plain(std::string_view text);

}  // namespace cauchy::detail
