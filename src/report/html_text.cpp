#include "report/html_text.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>

#include <fmt/format.h>

#include <cauchy/base/rng.hpp>
#include <cauchy/base/run_limit.hpp>

#include "base/utf8.hpp"
#include "base/xml_text.hpp"

namespace cauchy::detail {

std::string html_escaped(std::string_view text) { return xml_escaped(text); }

std::string html_number(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  std::string text = digits == 0 ? fmt::format("{}", value) : fmt::format("{:.{}g}", value, digits);
  std::string exponent;
  if (const auto e = text.find('e'); e != std::string::npos) {
    exponent = std::to_string(std::stoi(text.substr(e + 1)));
    text.resize(e);
    if (exponent.front() == '-') exponent.replace(0, 1, "−");
    exponent = fmt::format("×10<sup>{}</sup>", exponent);
  }
  if (text.front() == '-') text.replace(0, 1, "−");
  return text + exponent;
}

std::vector<std::size_t> some_of(std::size_t n, std::size_t most) {
  std::vector<std::size_t> rows(n);
  if (n <= most) {
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }
  Rng(0).permutation(rows);
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string shortened(std::string_view text, std::size_t length) {
  const std::vector<char32_t> codes = decode_utf8(text);
  if (codes.size() <= length) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i + 1 < length; ++i) append_utf8(out, codes[i]);
  return out + "…";
}

std::string html_table(const std::vector<std::vector<std::string>>& rows, bool numeric) {
  std::string out =
      fmt::format("<div class=\"scroll\"><table{}>\n", numeric ? " class=\"num\"" : "");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 && rows[0].empty()) continue;
    if (i == 0) out += "<thead>";
    if (i == 1) out += "<tbody>";
    out += "<tr>";
    for (const std::string& cell : rows[i]) {
      out += i == 0 ? fmt::format("<th scope=\"col\">{}</th>", cell)
                    : fmt::format("<td>{}</td>", cell);
    }
    out += "</tr>";
    if (i == 0) out += "</thead>";
    out += '\n';
  }
  if (rows.size() > 1) out += "</tbody>";
  return out + "</table></div>\n";
}

std::string html_section(std::string_view id, std::string_view title, std::string_view content) {
  return fmt::format("<section class=\"card\" id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id,
                     html_escaped(title), content);
}

std::string html_safely(std::string_view title, FunctionRef<std::string()> part) {
  try {
    ask_limit("it");
    return part();
  } catch (const std::exception& e) {
    return html_section("failed", title,
                        fmt::format("<p class=\"note\">This part could not be made: {}</p>",
                                    html_escaped(e.what())));
  }
}

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

}  // namespace

std::string inline_svg(const Picture& picture, std::string_view id, std::string_view label) {
  std::string svg = to_svg(picture);
  // Text is escaped, so that these strings with their quotes stand in markup only.
  replace_all(svg, "<clipPath id=\"", fmt::format("<clipPath id=\"{}_", id));
  replace_all(svg, "clip-path=\"url(#", fmt::format("clip-path=\"url(#{}_", id));
  replace_all(svg, " style=\"image-rendering:optimizeSpeed;image-rendering:pixelated\"", "");
  replace_all(svg, "xlink:href=\"data", "href=\"data");
  svg.insert(4, fmt::format(" role=\"img\" aria-label=\"{}\"", html_escaped(label)));
  return svg;
}

std::string html_figure(const Picture& picture, std::string_view id, std::string_view label,
                        std::string_view caption) {
  return fmt::format(
      "<figure>{}{}</figure>\n", inline_svg(picture, id, label),
      caption.empty() ? std::string() : fmt::format("<figcaption>{}</figcaption>", caption));
}

namespace {

struct Copier {
  Picture& out;
  void operator()(const draw::Polyline& c) const { out.polyline(c.points, c.stroke); }
  void operator()(const draw::Polygon& c) const { out.polygon(c.rings, c.fill, c.stroke); }
  void operator()(const draw::Circles& c) const { out.circles(c.centres, c.radius, c.color); }
  void operator()(const draw::Text& c) const { out.text(c.at, c.text, c.style); }
  void operator()(const draw::Clip& c) const { c.box ? out.clip(*c.box) : out.unclip(); }
  void operator()(const draw::Image& c) const {
    const Color grey = colormap_color(Colormap::viridis, std::nan(""));
    RgbImage image = c.image;
    for (std::size_t i = 0; i + 2 < image.rgb.size(); i += 3) {
      if (image.rgb[i] == grey.red && image.rgb[i + 1] == grey.green &&
          image.rgb[i + 2] == grey.blue) {
        image.rgb[i] = image.rgb[i + 1] = image.rgb[i + 2] = 255;
      }
    }
    out.image(c.box, std::move(image));
  }
};

}  // namespace

Picture without_grey(const Picture& picture) {
  Picture out(picture.width(), picture.height(), picture.background());
  for (const draw::Command& command : picture.commands()) std::visit(Copier{out}, command);
  return out;
}

std::string html_player(std::string_view name, const std::vector<HtmlFrame>& frames,
                        std::size_t first) {
  if (frames.empty()) return {};
  std::string out = fmt::format("<div class=\"player\" data-first=\"{}\">\n", first);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    out += fmt::format("<div class=\"frame{}\">{}<p class=\"label\">{}</p></div>\n",
                       i == first ? " shown" : "", frames[i].content, frames[i].label);
  }
  out += fmt::format(
      "<div class=\"controls\"><button type=\"button\" aria-label=\"play {0}\">▶ play</button>"
      "<input type=\"range\" min=\"0\" max=\"{1}\" step=\"1\" value=\"{2}\" aria-label=\"{0}\">"
      "<output></output></div>\n</div>\n",
      html_escaped(name), frames.size() - 1, first);
  return out;
}

std::string html_page(std::string_view title, std::string_view subtitle, std::string_view content) {
  const std::string heading = html_escaped(title);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>{}</style>\n</head>\n"
      "<body>\n<main>\n<header>\n<h1>{}</h1>\n",
      heading, html_style(), heading);
  if (!subtitle.empty()) out += fmt::format("<p class=\"sub\">{}</p>\n", html_escaped(subtitle));
  out += "</header>\n";
  out += content;
  out += fmt::format(
      "<footer>Made by Cauchy.</footer>\n</main>\n<script>{}</script>\n</body>\n"
      "</html>\n",
      html_script());
  return out;
}

}  // namespace cauchy::detail
