#include "site/docs_site.hpp"

#include <md4c-html.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cauchy/base/error.hpp>
#include <cauchy/cli/cli.hpp>
#include <cauchy/io/files.hpp>

#include "notes/page.hpp"
#include "report/html_text.hpp"

namespace cauchy::notes {
namespace {

namespace fs = std::filesystem;
using detail::html_escaped;

/// What a heading is called in links: small letters, hyphens for spaces, no other signs.
std::string slug_of(std::string_view heading) {
  std::string out;
  bool tag = false, entity = false;
  for (const char c : heading) {
    if (c == '<') tag = true;
    if (c == '&') entity = true;
    const auto u = static_cast<unsigned char>(c);
    if (!tag && !entity) {
      if (std::isalnum(u) != 0 || c == '_' || u >= 0x80) out += char(std::tolower(u));
      if (c == ' ' || c == '-') out += '-';
    }
    if (c == '>') tag = false;
    if (c == ';') entity = false;
  }
  return out;
}

std::string without_tags(const std::string& html) {
  static const std::regex tag("<[^>]*>"), space("\\s+");
  return std::regex_replace(std::regex_replace(html, tag, " "), space, " ");
}

/// One page on its way: where it comes from, where it goes, what it says.
struct DocsPage {
  fs::path source;  ///< below the root; empty: made here
  fs::path target;  ///< below the site
  std::string title;
  std::string html;
};

std::string up(const fs::path& target) {
  std::string out;
  for (auto n = std::distance(target.begin(), target.end()); n > 1; --n) out += "../";
  return out;
}

/// Where a page of the repository stands in the site.
fs::path target_of(const fs::path& source) {
  if (source == "README.md") return "readme.html";
  if (source == "docs/README.md") return "index.html";
  fs::path target = *source.begin() == "docs" ? source.lexically_relative("docs") : source;
  if (target.filename() == "README.md") target.replace_filename("index.md");
  return target.replace_extension(".html");
}

/// Links to pages lead to their HTML, those to pictures to the copies; what the site does not have
/// is text.
std::string with_links(const std::string& html, const DocsPage& page,
                       const std::set<fs::path>& sources) {
  static const std::regex link("<a href=\"([^\"]*)\">([\\s\\S]*?)</a>");
  std::string out;
  auto rest = html.cbegin();
  for (std::smatch m; std::regex_search(rest, html.cend(), m, link); rest = m[0].second) {
    out.append(rest, m[0].first);
    const std::string to = m[1], text = m[2];
    if (to.find("://") != std::string::npos || to.starts_with("#")) {
      out += m[0];
      continue;
    }
    const std::size_t hash = std::min(to.find('#'), to.size());
    fs::path file = (page.source.parent_path() / to.substr(0, hash)).lexically_normal();
    if (!sources.contains(file)) file /= "README.md";  // a folder
    if (sources.contains(file)) {
      const fs::path target = target_of(file.lexically_normal());
      out += fmt::format("<a href=\"{}{}{}\">{}</a>", up(page.target), target.generic_string(),
                         to.substr(hash), text);
    } else {
      out += text;
    }
  }
  out.append(rest, html.cend());
  return out;
}

std::string lines_html(const std::string& comment) {
  return fmt::format("<pre class=\"contract\">{}</pre>", html_escaped(comment));
}

/// The reference of one layer: every header with its contracts.
DocsPage layer_page(const fs::path& root, const fs::path& layer) {
  DocsPage page{.source = {},
                .target = fs::path("reference") / (layer.filename().string() + ".html"),
                .title = fmt::format("Reference: {}", layer.filename().string()),
                .html = {}};
  std::vector<fs::path> headers;
  for (const auto& entry : fs::recursive_directory_iterator(layer)) {
    if (entry.path().extension() == ".hpp") headers.push_back(entry.path());
  }
  std::ranges::sort(headers);
  for (const fs::path& header : headers) {
    const std::string name = header.lexically_relative(root / "include").generic_string();
    std::string cards;
    for (const Contract& c : contracts_of(read_file(header))) {
      cards += fmt::format("<pre><code>{}</code></pre>{}", html_escaped(c.declaration),
                           lines_html(c.comment));
    }
    page.html += fmt::format("<section class=\"card\"><h2 id=\"{}\">{}</h2>{}</section>\n",
                             slug_of(name), html_escaped(name), cards);
  }
  return page;
}

/// Everything that files and options can name, from the tables of the program itself.
DocsPage tables_page() {
  std::ostringstream out, err;
  const std::string args[] = {"list", "--json"};
  if (run_cli(args, out, err) != 0) throw Error(err.str(), "cauchy list --json");
  DocsPage page{
      .source = {}, .target = "reference/tables.html", .title = "Names in files", .html = {}};
  const auto lists = nlohmann::ordered_json::parse(out.str());
  for (const auto& [topic, entries] : lists.items()) {
    if (!entries.is_array() || entries.empty()) continue;
    std::vector<std::vector<std::string>> rows;
    for (const auto& entry : entries) {
      if (!entry.is_object()) {
        rows.push_back({html_escaped(entry.is_string() ? entry.get<std::string>() : entry.dump())});
        continue;
      }
      if (rows.empty()) {
        rows.emplace_back();
        for (const auto& [key, value] : entry.items()) rows[0].push_back(html_escaped(key));
      }
      rows.emplace_back();
      for (const auto& [key, value] : entry.items()) {
        rows.back().push_back(
            html_escaped(value.is_string() ? value.get<std::string>() : value.dump()));
      }
    }
    page.html += fmt::format("<section class=\"card\"><h2 id=\"{0}\">{0}</h2>{1}</section>\n",
                             html_escaped(topic), detail::html_table(rows, false));
  }
  return page;
}

/// What the search looks at: one entry per heading.
nlohmann::json search_entries(const DocsPage& page) {
  static const std::regex heading("<h[1-3] id=\"([^\"]*)\">([\\s\\S]*?)</h[1-3]>");
  nlohmann::json all = nlohmann::json::array();
  std::string anchor, title = page.title;
  auto rest = page.html.cbegin();
  const auto add = [&](auto end) {
    const std::string text = without_tags(std::string(rest, end));
    if (text.size() > 1) {
      all.push_back({page.target.generic_string() + anchor, title, text});
    }
  };
  for (std::smatch m; std::regex_search(rest, page.html.cend(), m, heading); rest = m[0].second) {
    add(m[0].first);
    anchor = "#" + m[1].str();
    title = page.title + ": " + without_tags(m[2]);
  }
  add(page.html.cend());
  return all;
}

constexpr std::string_view search_script = R"js(
const box = document.getElementById('search'), found = document.getElementById('found');
const base = document.body.dataset.base || '';
function look() {
  const words = box.value.toLowerCase().split(/\s+/).filter(w => w);
  found.textContent = '';
  if (!words.length || !window.searchPages) return;
  const hits = [];
  for (const [url, title, text] of window.searchPages) {
    const t = title.toLowerCase(), b = text.toLowerCase();
    let score = 0;
    for (const w of words) {
      const inTitle = t.includes(w), inText = b.includes(w);
      if (!inTitle && !inText) { score = 0; break; }
      score += inTitle ? 10 : 1;
    }
    if (score) hits.push([score, url, title, text]);
  }
  hits.sort((a, b) => b[0] - a[0]);
  for (const [, url, title, text] of hits.slice(0, 20)) {
    const li = document.createElement('li'), a = document.createElement('a'), p = document.createElement('small');
    a.href = box.dataset.base + url; a.textContent = title;
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60);
    p.textContent = ' … ' + text.slice(at, at + 160) + ' …';
    li.append(a, p); found.append(li);
  }
  if (!hits.length) { const li = document.createElement('li'); li.textContent = 'nothing found'; found.append(li); }
}
box.addEventListener('input', look);
)js";

void write_page(const fs::path& folder, const DocsPage& p, const std::string& notes) {
  const std::string base = up(p.target);
  std::vector<NavigationLink> links = {
      {base + "index.html", "Documentation"}, {base + "tutorial.html", "Tutorial"},
      {base + "methods.html", "Methods"},     {base + "format.html", "Files"},
      {base + "cli.html", "Program"},         {base + "reference/index.html", "Reference"}};
  if (!notes.empty()) links.emplace_back(base + notes + "/index.html", "Executable notes");
  const std::string content = fmt::format(
      "<p><input type=\"search\" id=\"search\" data-base=\"{0}\" placeholder=\"Search\" "
      "aria-label=\"Search\"></p><ul id=\"found\"></ul>\n{1}\n<script "
      "src=\"{0}search.js\"></script>",
      base, p.html);
  fs::create_directories((folder / p.target).parent_path());
  write_file_atomically(folder / p.target, page(p.title, links, content, search_script));
}

}  // namespace

std::string markdown_to_html(std::string_view text) {
  std::string html;
  const int failed = md_html(
      text.data(), static_cast<MD_SIZE>(text.size()),
      [](const MD_CHAR* part, MD_SIZE size, void* to) {
        static_cast<std::string*>(to)->append(part, size);
      },
      &html, MD_DIALECT_GITHUB, 0);
  if (failed != 0) throw Error("the text cannot be read as Markdown", "[notes.docs]");
  static const std::regex heading("<h([1-6])>([\\s\\S]*?)</h[1-6]>");
  std::map<std::string, int> seen;
  std::string out;
  auto rest = html.cbegin();
  for (std::smatch m; std::regex_search(rest, html.cend(), m, heading); rest = m[0].second) {
    out.append(rest, m[0].first);
    std::string slug = slug_of(m[2].str());
    if (const int n = seen[slug]++; n > 0) slug += fmt::format("-{}", n);
    out += fmt::format("<h{0} id=\"{1}\">{2}</h{0}>", m[1].str(), slug, m[2].str());
  }
  out.append(rest, html.cend());
  return out;
}

std::vector<Contract> contracts_of(std::string_view header) {
  std::vector<Contract> all;
  std::istringstream in{std::string(header)};
  std::string comment, declaration;
  bool reading = false;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    const std::string_view text =
        first == std::string::npos ? std::string_view() : std::string_view(line).substr(first);
    if (text.starts_with("///") && !text.starts_with("///<")) {
      comment += std::string(text.substr(std::min<std::size_t>(text.size(), 4))) + "\n";
      continue;
    }
    if (comment.empty()) continue;
    if (text.empty()) {  // a comment about what follows, not about one thing
      if (!reading) comment.clear();
      continue;
    }
    reading = true;
    declaration += (declaration.empty() ? "" : "\n") + std::string(text);
    const std::size_t end = text.find_last_of(";{}");
    if (end == std::string_view::npos) continue;
    if (text.starts_with("struct ") && text.ends_with("{")) {  // its members are its contract
      const std::string last = std::string(first, ' ') + "};";
      while (std::getline(in, line)) {
        declaration += "\n" + line.substr(std::min(first, line.size()));
        if (line == last) break;
      }
      all.push_back({declaration, comment});
      comment.clear();
      declaration.clear();
      reading = false;
      continue;
    }
    if (const std::size_t body = declaration.find('{'); body != std::string::npos) {
      declaration.erase(body);
    }
    while (!declaration.empty() &&
           std::string(" ;\n").find(declaration.back()) != std::string::npos) {
      declaration.pop_back();
    }
    all.push_back({declaration, comment});
    comment.clear();
    declaration.clear();
    reading = false;
  }
  return all;
}

std::size_t write_docs(const fs::path& root, const fs::path& folder, const std::string& notes) {
  std::vector<DocsPage> pages;
  std::set<fs::path> sources = {"README.md", "CONTRIBUTING.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    const fs::path file = entry.path().lexically_relative(root);
    if (file.extension() == ".md") sources.insert(file);
    if (file.extension() == ".svg" || file.extension() == ".png") {
      const fs::path to = folder / file.lexically_relative("docs");
      fs::create_directories(to.parent_path());
      fs::copy_file(entry.path(), to, fs::copy_options::overwrite_existing);
    }
  }
  static const std::regex first_heading("<h1 id=\"[^\"]*\">([\\s\\S]*?)</h1>\\s*");
  for (const fs::path& source : sources) {
    DocsPage p{.source = source, .target = target_of(source), .title = {}, .html = {}};
    p.html = markdown_to_html(read_file(root / source));
    std::smatch title;
    if (std::regex_search(p.html, title, first_heading)) {
      p.title = without_tags(title[1]);
      p.html = title.prefix().str() + title.suffix().str();
    } else {
      p.title = source.stem().string();
    }
    p.html = with_links(p.html, p, sources);
    if (source == "README.md") {  // its pictures are seen from the root
      p.html = std::regex_replace(p.html, std::regex("<img src=\"docs/"), "<img src=\"");
    }
    pages.push_back(std::move(p));
  }
  DocsPage index{.source = {}, .target = "reference/index.html", .title = "Reference", .html = {}};
  index.html =
      "<p>Every public header with its contracts, by layer from the lowest to the highest, and "
      "<a href=\"tables.html\">everything that files can name</a>.</p><ul>";
  std::vector<fs::path> layers;
  for (const auto& entry : fs::directory_iterator(root / "include/cauchy")) {
    if (entry.is_directory()) layers.push_back(entry.path());
  }
  std::ranges::sort(layers);
  for (const fs::path& layer : layers) {
    pages.push_back(layer_page(root, layer));
    index.html += fmt::format("<li><a href=\"{0}.html\">{0}</a></li>", layer.filename().string());
  }
  index.html += "</ul>";
  pages.push_back(std::move(index));
  pages.push_back(tables_page());
  nlohmann::json search = nlohmann::json::array();
  for (const DocsPage& p : pages) {
    for (auto& entry : search_entries(p)) search.push_back(std::move(entry));
    write_page(folder, p, notes);
  }
  write_file_atomically(folder / "search.js",
                        fmt::format("window.searchPages = {};\n", search.dump()));
  return pages.size();
}

}  // namespace cauchy::notes
