#include <gtest/gtest.h>

#include <cauchy/report/picture.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "support/png_decode.hpp"

namespace cauchy::test_picture_svg {
namespace {

// Empty when tags balance, attributes are quoted and no bare < or & stands in text; else what is
// wrong. Knows no more of XML than to_svg writes.
std::string xml_defect(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size();) {
    if (xml[i] == '&') {
      const std::size_t end = xml.find(';', i);
      const std::string entity = xml.substr(i, end - i + 1);
      if (entity != "&lt;" && entity != "&gt;" && entity != "&amp;" && entity != "&quot;" &&
          entity != "&#39;")
        return "entity " + entity;
      i = end + 1;
    } else if (xml[i] == '<') {
      std::size_t end = i + 1;
      bool quoted = false;
      for (; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
        if (xml[end] == '"') quoted = !quoted;
        if (xml[end] == '<') return "< inside a tag";
      }
      if (end >= xml.size()) return "open tag at the end";
      const std::string tag = xml.substr(i + 1, end - i - 1);
      const std::string name = tag.substr(0, tag.find(' '));
      if (tag[0] == '/') {
        if (open.empty() || open.back() != tag.substr(1)) return "unbalanced " + tag;
        open.pop_back();
      } else if (tag.back() != '/') {
        open.push_back(name);
      }
      i = end + 1;
    } else {
      if (static_cast<unsigned char>(xml[i]) < 32 && xml[i] != '\n') return "control character";
      ++i;
    }
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

bool contains(const std::string& text, std::string_view part) { return count(text, part) > 0; }

TEST(PictureSvg, CheckerSeesDefects) {
  EXPECT_EQ(xml_defect("<a><b c=\"1\"/>x &lt; y</a>"), "");
  EXPECT_NE(xml_defect("<a><b></a>"), "");
  EXPECT_NE(xml_defect("<a>x & y</a>"), "");
  EXPECT_NE(xml_defect("<a>x < y</a>"), "");
  EXPECT_NE(xml_defect("<a>"), "");
}

TEST(PictureSvg, EmptyPictureIsAWholeDocument) {
  const std::string svg = to_svg(Picture(20, 10.5));
  EXPECT_EQ(xml_defect(svg), "");
  EXPECT_TRUE(contains(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(contains(svg, " width=\"20\" height=\"10.5\" viewBox=\"0 0 20 10.5\""));
}

TEST(PictureSvg, AllCommandsGiveWellFormedXml) {
  Picture picture(100, 100);
  picture.line({1, 2}, {3.456, -0.001}, {.color = Color{255, 0, 16, 51}, .width = 2, .dash = 3});
  picture.clip({1, 2, 3, 4});
  picture.polygon({{{0, 0}, {9, 0}, {9, 9}}, {{2, 1}, {3, 1}, {3, 2}}}, white, Stroke{});
  picture.clip({5, 5, 5, 5});
  picture.image({0, 0, 50, 50}, {1, 1, {9, 8, 7}});
  picture.text({1, 1}, "a", {.anchor = Anchor::end, .upwards = true, .bold = true});
  const PixelPoint centres[] = {{1, 1}, {2, 2}};
  picture.circles(centres, 1.25, black);
  const std::string svg = to_svg(picture);
  EXPECT_EQ(xml_defect(svg), "");
  EXPECT_TRUE(contains(svg, "d=\"M1 2L3.46 0\""));  // two decimals, no minus zero
  EXPECT_TRUE(contains(svg, "stroke=\"#ff0010\" stroke-opacity=\"0.2\" stroke-width=\"2\""));
  EXPECT_TRUE(contains(svg, "stroke-dasharray=\"3\""));
  EXPECT_TRUE(contains(svg, "d=\"M0 0L9 0 9 9ZM2 1L3 1 3 2Z\""));
  EXPECT_TRUE(contains(svg, "fill-rule=\"evenodd\""));
  EXPECT_EQ(count(svg, "<clipPath"), 2u);
  EXPECT_EQ(count(svg, "<g "), count(svg, "</g>"));
  EXPECT_TRUE(contains(svg, "text-anchor=\"end\" transform=\"rotate(-90 1 1)\""));
  EXPECT_TRUE(contains(svg, "d=\"M1 1h0M2 2h0\""));
  EXPECT_TRUE(contains(svg, "stroke-width=\"2.5\""));
}

TEST(PictureSvg, TextIsEscaped) {
  Picture picture(100, 100);
  picture.text({1, 1}, "a<b> & \"c\" 'd'");
  const std::string svg = to_svg(picture);
  EXPECT_TRUE(contains(svg, ">a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;</text>"));
  EXPECT_EQ(xml_defect(svg), "");
}

TEST(PictureSvg, Utf8IsKeptAndBrokenBytesAndControlCharactersAreReplaced) {
  Picture picture(100, 100);
  picture.text({1, 1}, "λ ∂²u/∂x² 😀");
  picture.text({1, 1}, "x\xff\xc3y\x01\xe2\x82z\xed\xa0\x80|\xc0\xaf|");
  const std::string svg = to_svg(picture);
  EXPECT_TRUE(contains(svg, ">λ ∂²u/∂x² 😀</text>"));
  // Each byte of no valid sequence is U+FFFD: lone lead bytes, a surrogate, an overlong slash.
  EXPECT_TRUE(
      contains(svg, ">x\uFFFD\uFFFDy \uFFFD\uFFFDz\uFFFD\uFFFD\uFFFD|\uFFFD\uFFFD|</text>"));
  EXPECT_EQ(xml_defect(svg), "");
}

TEST(PictureSvg, ThousandsOfCirclesStaySmall) {
  Picture picture(640, 480);
  std::vector<PixelPoint> centres;
  for (int i = 0; i < 10000; ++i)
    centres.push_back({(i * 0.6180339 - i * 6 / 10) + 33.33, i * .048});
  picture.circles(centres, 1, black);
  EXPECT_LT(to_svg(picture).size(), 180'000u);
}

TEST(PictureSvg, ImageIsEmbeddedAsPng) {
  Picture picture(10, 10);
  picture.image({0, 0, 10, 10}, {2, 1, {255, 0, 0, 1, 2, 3}});
  const std::string svg = to_svg(picture), key = "data:image/png;base64,";
  const std::size_t begin = svg.find(key) + key.size();
  const std::string base64 = svg.substr(begin, svg.find('"', begin) - begin);
  std::vector<unsigned char> bytes;
  std::uint32_t group = 0;
  int n_bits = 0;
  for (const char c : base64.substr(0, base64.find('='))) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    group = (group << 6) | static_cast<std::uint32_t>(digits.find(c));
    n_bits += 6;
    if (n_bits >= 8) bytes.push_back(static_cast<unsigned char>(group >> (n_bits -= 8)));
  }
  EXPECT_EQ(base64.size() % 4, 0u);
  const auto image = test::decode_png(bytes);
  ASSERT_EQ(image.width, 2u);
  EXPECT_EQ(image.rgb(0, 0), (std::array<int, 3>{255, 0, 0}));
  EXPECT_EQ(image.rgb(1, 0), (std::array<int, 3>{1, 2, 3}));
}

}  // namespace
}  // namespace cauchy::test_picture_svg
