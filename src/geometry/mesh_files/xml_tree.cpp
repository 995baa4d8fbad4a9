#include "geometry/mesh_files/xml_tree.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

using mesh_io::shown;

constexpr std::string_view xml_blanks = " \t\r\n";

}  // namespace

std::string_view XmlNode::attribute(std::string_view key) const {
  for (const auto& [k, value] : attributes) {
    if (k == key) return value;
  }
  return {};
}

const XmlNode* XmlNode::child(std::string_view key) const {
  const auto at = std::ranges::find(children, key, [](const XmlNode* n) { return n->name; });
  return at == children.end() ? nullptr : *at;
}

XmlTree::XmlTree(std::string_view text, const mesh_io::WordScanner& scanner) {
  std::vector<XmlNode*> open;
  std::size_t at = 0;
  const auto fail = [&](const std::string& what, std::string_view word) {
    throw Error(what, scanner.place(word), "the file is not XML, or was cut off");
  };
  for (;;) {
    const std::size_t tag = text.find('<', at);
    if (tag == std::string_view::npos) break;
    if (!open.empty() && open.back()->text.data() == nullptr) {
      open.back()->text = text.substr(at, tag - at);
    }
    const std::string_view rest = text.substr(tag);
    const auto skip_to = [&](std::string_view end) {
      const std::size_t stop = text.find(end, tag + 1);
      if (stop == std::string_view::npos) fail("a tag has no end", rest.substr(0, 1));
      at = stop + end.size();
    };
    if (rest.starts_with("<!--")) {
      skip_to("-->");
      continue;
    }
    if (rest.starts_with("<?")) {
      skip_to("?>");
      continue;
    }
    if (rest.starts_with("<!")) {
      skip_to(">");
      continue;
    }
    // A tag ends at the first > outside of quotation marks.
    std::size_t stop = tag + 1;
    char quote = 0;
    while (stop < text.size() && (quote != 0 || text[stop] != '>')) {
      if (quote == 0 && (text[stop] == '"' || text[stop] == '\'')) {
        quote = text[stop];
      } else if (text[stop] == quote) {
        quote = 0;
      }
      ++stop;
    }
    if (stop >= text.size()) fail("a tag has no end", rest.substr(0, 1));
    std::string_view inner = text.substr(tag + 1, stop - tag - 1);
    at = stop + 1;
    if (inner.starts_with('/')) {
      const std::string_view name = inner.substr(1, inner.find_last_not_of(xml_blanks));
      if (open.empty() || open.back()->name != name) {
        fail(fmt::format("</{}> ends no element that is open", shown(name)), inner);
      }
      open.pop_back();
      continue;
    }
    const bool closed = inner.ends_with('/');
    if (closed) inner.remove_suffix(1);
    XmlNode& node = nodes_.emplace_back();
    std::size_t k = std::min(inner.find_first_of(xml_blanks), inner.size());
    node.name = inner.substr(0, k);
    if (node.name.empty()) fail("a tag has no name", rest.substr(0, 1));
    while ((k = inner.find_first_not_of(xml_blanks, k)) != std::string_view::npos) {
      const std::size_t equals = inner.find('=', k);
      const std::size_t first =
          equals == std::string_view::npos ? equals : inner.find_first_of("\"'", equals);
      const std::size_t last =
          first == std::string_view::npos ? first : inner.find(inner[first], first + 1);
      if (last == std::string_view::npos) {
        fail(fmt::format("an attribute of <{}> has no value in quotation marks", shown(node.name)),
             inner.substr(k, 1));
      }
      std::string_view key = inner.substr(k, equals - k);
      key = key.substr(0, key.find_last_not_of(xml_blanks) + 1);
      node.attributes.emplace_back(key, inner.substr(first + 1, last - first - 1));
      k = last + 1;
    }
    if (!open.empty()) {
      open.back()->children.push_back(&node);
    } else if (nodes_.size() > 1) {
      fail("the file has more than one root element", inner);
    }
    if (closed) continue;
    if (open.size() >= 64) fail("elements are nested more than 64 deep", inner);
    open.push_back(&node);
  }
  if (!open.empty())
    fail(fmt::format("<{}> has no end", shown(open.back()->name)), open.back()->name);
  if (nodes_.empty()) fail("the file has no elements", text.substr(0, 0));
}

std::vector<std::string_view> xml_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0;;) {
    at = text.find_first_not_of(xml_blanks, at);
    if (at == std::string_view::npos) return words;
    const std::size_t end = std::min(text.find_first_of(xml_blanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
}

std::string xml_plain(std::string_view text) {
  static constexpr std::pair<std::string_view, char> entities[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  while (!text.empty()) {
    const auto at =
        std::ranges::find_if(entities, [&](const auto& e) { return text.starts_with(e.first); });
    out += at == std::end(entities) ? text[0] : at->second;
    text.remove_prefix(at == std::end(entities) ? 1 : at->first.size());
  }
  return out;
}

}  // namespace cauchy::detail
