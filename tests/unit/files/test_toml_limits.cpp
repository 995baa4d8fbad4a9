#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "files/toml_node.hpp"
#include "support/message_of.hpp"

namespace cauchy::detail::test_toml_limits {
namespace {

std::string repeated(int n, const std::string& part) {
  std::string text;
  for (int i = 0; i < n; ++i) text += part;
  return text;
}

std::string depth_error(const std::string& text) {
  auto source = std::make_shared<TomlSource>();
  source->name = "p.toml";
  const TomlSourcePtr shared = source;
  return message_of([&] {
    check_depth(text, shared);
    return 0;
  });
}

TEST(TomlDepth, CountsOnlyWhatIsNested) {
  const std::string dots = repeated(500, "1.5, "), open = repeated(500, "[{a.");
  for (const std::string& text : {
           "a = [" + dots + "]\n",                          // numbers
           "a = \"" + open + "\\\"" + open + "\"\n",        // a string with an escaped quote
           "a = '" + open + "'\nb = '''\n" + open + "'''",  // literal strings
           "a = \"\"\"\n" + open + "\"\"\"\n",              // a string of several lines
           "# " + open + "\n",                              // a comment
           repeated(500, "[a.b.c]\nd.e = 1.5\n"),           // many headers
           repeated(500, "[[a.b]]\nc = [[1.5], [2.5]]\n"),  // many tables in arrays
           "a = [\n" + repeated(500, "  [1.5, 2],\n") + "]\n",
           "a = \"" + open + "\n[b]\n",      // not closed: left to the parser
           "a = {" + repeated(90, "b = {"),  // not closed, but not too deep
       }) {
    EXPECT_EQ(depth_error(text), "no error") << text.substr(0, 40);
  }
}

TEST(TomlDepth, IsRefusedWhereItBecomesTooMuch) {
  const std::string sentence = "keys and brackets are nested deeper than 100 levels";
  EXPECT_NE(depth_error("\n\na = " + repeated(101, "[")).find("p.toml:3:105: " + sentence),
            std::string::npos);
  for (const std::string& text : {
           "a" + repeated(101, ".a") + " = 1",
           "[a" + repeated(101, ".a") + "]",
           "[[a" + repeated(101, " . a") + "]]",
           "a" + repeated(101, ".\"a.a\"") + " = 1",
           "[a" + repeated(60, ".a") + "]\nb" + repeated(60, ".b") + " = 1",
           "[a" + repeated(60, ".a") + "]\nb = " + repeated(60, "["),
           "a = " + repeated(30, "{ a.a.a.a = "),
       }) {
    EXPECT_NE(depth_error(text).find(sentence), std::string::npos) << text.substr(0, 40);
  }
}

}  // namespace
}  // namespace cauchy::detail::test_toml_limits
