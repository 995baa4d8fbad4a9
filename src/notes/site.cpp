#include "notes/site.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include <cauchy/io/files.hpp>

#include "notes/formula.hpp"
#include "notes/page.hpp"
#include "notes/result.hpp"
#include "report/html_text.hpp"

namespace cauchy::notes {
namespace {

namespace fs = std::filesystem;
using detail::html_escaped;

constexpr const char* lecture_titles[] = {
    "Differential equations and functional analysis", "Classical numerical methods",
    "Physics-informed networks", "Training", "Operators and applications"};

std::string lecture_file(int lecture) { return fmt::format("lecture_{}.html", lecture); }

std::string lecture_title(int lecture) {
  return fmt::format("Lecture {}: {}", lecture, lecture_titles[lecture - 1]);
}

std::vector<NavigationLink> site_links(const SiteOptions& options) {
  std::vector<NavigationLink> links = {{"index.html", "Executable notes"}};
  for (int lecture = 1; lecture <= 5; ++lecture) {
    links.emplace_back(lecture_file(lecture), fmt::format("Lecture {}", lecture));
  }
  if (!options.docs.empty()) links.emplace_back(options.docs + "/index.html", "Documentation");
  return links;
}

/// Text with `code` in it.
std::string prose(std::string_view text) {
  std::string out;
  bool code = false;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t next = std::min(text.find('`', at), text.size());
    out += html_escaped(text.substr(at, next - at));
    if (next < text.size()) out += code ? "</code>" : "<code>";
    code = !code;
    at = next + 1;
  }
  return out;
}

std::string block_html(const PictureBlock& b, const Artefact& a) {
  return fmt::format(
      "<figure><img src=\"{}/{}\" alt=\"{}\" loading=\"lazy\"><figcaption>{}</figcaption></figure>",
      a.id, html_escaped(b.file), html_escaped(b.caption.empty() ? a.title : b.caption),
      prose(b.caption));
}

std::string block_html(const TableBlock& b, const Artefact& a) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : b.rows) {
    rows.emplace_back();
    for (const std::string& cell : row) rows.back().push_back(prose(cell));
  }
  return fmt::format("{}<p class=\"soft\">{} <a href=\"{}/{}\">CSV</a></p>",
                     detail::html_table(rows, false), prose(b.caption), a.id, html_escaped(b.file));
}

std::string block_html(const TextBlock& b, const Artefact&) {
  return fmt::format("<p>{}</p>", prose(b.text));
}

std::string block_html(const CodeBlock& b, const Artefact&) {
  return fmt::format("{}<pre>{}</pre>",
                     b.caption.empty() ? "" : fmt::format("<h3>{}</h3>", prose(b.caption)),
                     html_escaped(b.text));
}

std::string checks_html(const Result& r) {
  if (r.checks.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"checked", "found", "expected", ""}};
  for (const Check& c : r.checks) {
    const std::string verdict = c.passed() ? "<span class=\"good\">as it should be</span>"
                                           : "<span class=\"bad\">wrong</span>";
    if (c.is_statement) {
      rows.push_back({prose(c.what), c.value == 1 ? "holds" : "does not hold", "", verdict});
    } else {
      rows.push_back({prose(c.what), fmt::format("{:.8g}", c.value),
                      fmt::format("{:.8g} ± {:.2g}", c.expected, c.tolerance), verdict});
    }
  }
  return detail::html_table(rows, false);
}

std::string artefact_html(const Artefact& a, const std::optional<Result>& r,
                          const SiteOptions& options) {
  std::string out;
  for (std::istringstream in(a.formula); in;) {
    std::string line;
    std::getline(in, line);
    if (!line.empty()) {
      out += fmt::format("<div class=\"formula\">{}</div>", formula_to_mathml(line));
    }
  }
  if (!a.says.empty()) out += fmt::format("<p>{}</p>", prose(a.says));
  if (!a.truth.empty()) {
    out += fmt::format("<p class=\"truth\"><b>What is true.</b> {}</p>", prose(a.truth));
  }
  if (!r) {
    out +=
        fmt::format("<p class=\"soft\">Not made yet: <code>cauchy notes run {}</code></p>", a.id);
  } else {
    if (!r->failure.empty()) out += fmt::format("<p class=\"bad\">{}</p>", prose(r->failure));
    for (const Block& b : r->blocks) {
      out += std::visit([&](const auto& shown) { return block_html(shown, a); }, b);
    }
    out += checks_html(*r);
  }
  if (!options.sources.empty() && fs::exists(options.sources / a.file)) {
    out += fmt::format(
        "<details><summary>The lines that make it ({})</summary><pre>{}</pre></details>",
        html_escaped(a.file), html_escaped(shown_source(read_file(options.sources / a.file))));
  }
  std::string foot = fmt::format("lines {} of the notes", a.lines);
  if (r) foot += fmt::format(", made in {:.1f} s", r->seconds);
  if (!a.page.empty() && !options.docs.empty()) {
    std::string page = a.page;
    if (const auto md = page.find(".md"); md != std::string::npos) page.replace(md, 3, ".html");
    foot += fmt::format(", <a href=\"{}/{}\">about the method</a>", options.docs, page);
  }
  return fmt::format(
      "<section class=\"card{}\" id=\"{}\"><h2>{}</h2><p><span class=\"tag\">{}</span>"
      "<small>{}</small></p>{}</section>\n",
      r && !r->passed() ? " failed" : "", a.id, html_escaped(a.title), to_string(a.kind), foot,
      out);
}

std::string thumb_html(const Artefact& a, const std::optional<Result>& r) {
  std::string picture;
  if (r) {
    for (const Block& b : r->blocks) {
      if (const auto* p = std::get_if<PictureBlock>(&b); p != nullptr && picture.empty()) {
        picture = fmt::format("<img src=\"{}/{}\" alt=\"\" loading=\"lazy\">", a.id,
                              html_escaped(p->file));
      }
    }
  }
  if (picture.empty()) picture = std::string(to_string(a.kind));
  return fmt::format(
      "<a class=\"thumb{}\" href=\"{}#{}\"><span class=\"picture\">{}</span><span>{}</span>"
      "<small>{}{}</small></a>\n",
      r && !r->passed() ? " failed" : "", lecture_file(a.lecture), a.id, picture,
      html_escaped(a.title), to_string(a.kind),
      !r                ? ", not made yet"
      : !r->passed()    ? ", <span class=\"bad\">a check failed</span>"
      : a.truth.empty() ? ""
                        : ", corrected");
}

}  // namespace

std::string shown_source(const std::string& text) {
  std::string out;
  std::istringstream in(text);
  bool begun = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("Artefact ") || line.starts_with("}  // namespace")) {
      if (line.starts_with("Artefact ")) break;
      continue;
    }
    if (line.starts_with("#include") || line.starts_with("namespace ") ||
        line.starts_with("using namespace") || line.starts_with("#pragma")) {
      continue;
    }
    if (!begun && line.empty()) continue;
    begun = true;
    out += line + "\n";
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

void write_site(const std::vector<Artefact>& artefacts, const fs::path& folder,
                const SiteOptions& options) {
  std::map<std::string, std::optional<Result>> results;
  std::size_t made = 0, failed = 0, corrected = 0;
  for (const Artefact& a : artefacts) {
    auto& r = results[a.id] = load(a, folder);
    made += r ? 1 : 0;
    failed += r && !r->passed() ? 1 : 0;
    corrected += a.truth.empty() ? 0 : 1;
  }
  std::string index = fmt::format(
      "<p>Every algorithm, listing, recipe, table and figure of the lecture notes that a program "
      "can "
      "make, made by Cauchy: {} entries, {} made, {} with an erratum that is corrected "
      "here{}.</p>\n",
      artefacts.size(), made, corrected,
      failed == 0 ? ""
                  : fmt::format(", <span class=\"bad\">{} with a failed check</span>", failed));
  for (int lecture = 1; lecture <= 5; ++lecture) {
    std::string cards, thumbs;
    for (const Artefact& a : artefacts) {
      if (a.lecture != lecture) continue;
      cards += artefact_html(a, results[a.id], options);
      thumbs += thumb_html(a, results[a.id]);
    }
    index += fmt::format("<h2><a href=\"{}\">{}</a></h2>\n<div class=\"grid\">{}</div>\n",
                         lecture_file(lecture), lecture_title(lecture), thumbs);
    write_file_atomically(folder / lecture_file(lecture),
                          page(lecture_title(lecture), site_links(options), cards));
  }
  write_file_atomically(folder / "index.html",
                        page("The notes, executable", site_links(options), index));
}

}  // namespace cauchy::notes
