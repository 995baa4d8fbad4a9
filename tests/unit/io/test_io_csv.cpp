#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>

#include <cauchy/base/rng.hpp>
#include <cauchy/io/csv.hpp>
#include <cauchy/io/csv_log.hpp>
#include <cauchy/io/files.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_io_csv {
namespace {

using ::testing::ElementsAre;

std::string error(std::string_view text, const TableOptions& options = {}) {
  return error_of([&] { parse_csv(text, "d.csv", options); });
}

TEST(ParseCsv, TakesNoMoreMemoryThanTheTextCanFill) {
  std::string text = "c0";
  for (int i = 1; i < 5000; ++i) text += fmt::format(",c{}", i);
  text += "\n";
  for (int i = 0; i < 500'000; ++i) text += "1\n";  // rows of 5,000 columns would be 10 GB
  EXPECT_EQ(error_of([&] { parse_csv(text, "a.csv"); }),
            "a.csv:2: row has 1 values, expected 5000");
}

TEST(ParseCsv, ReadsNamesAndNumbers) {
  const Table t = parse_csv("x,t,u\n0,1,-2.5\n+1e-3,.5,1E2\n", "d.csv");
  EXPECT_THAT(t.columns, ElementsAre("x", "t", "u"));
  EXPECT_THAT(t.values, ElementsAre(0.0, 1.0, -2.5, 1e-3, 0.5, 100.0));
  EXPECT_EQ(t.rows(), 2U);
  EXPECT_THAT(t.column("u"), ElementsAre(-2.5, 100.0));
  EXPECT_EQ(t.source, "d.csv");
}

TEST(ParseCsv, DetectsTheSeparator) {
  for (const char* text :
       {"x,y\n1,2\n3,4\n", "x;y\n1;2\n3;4\n", "x\ty\n1\t2\n3\t4\n", "x y\n1 2\n3 4\n",
        "  x   y \n 1\t 2 \n3    4", "x , y\n1 , 2\n 3,4 ", "x, y\n1,\t2\n3, 4"}) {
    const Table t = parse_csv(text, "d.csv");
    EXPECT_THAT(t.columns, ElementsAre("x", "y")) << text;
    EXPECT_THAT(t.values, ElementsAre(1, 2, 3, 4)) << text;
  }
}

TEST(ParseCsv, AcceptsMarksCommentsEmptyLinesAndWindowsLines) {
  const Table t =
      parse_csv("\xEF\xBB\xBF# by hand\r\n\r\nx,y\r\n# more\r\n1,2\r\n \r\n3,4", "d.csv");
  EXPECT_THAT(t.columns, ElementsAre("x", "y"));
  EXPECT_THAT(t.values, ElementsAre(1, 2, 3, 4));
}

TEST(ParseCsv, ReadsQuotedNamesAndNumbers) {
  const Table t = parse_csv("\"a, b\",\"say \"\"u\"\"\",\"2\"\n\"1\",2,\"3\" \n4,5,6\n", "d.csv");
  EXPECT_THAT(t.columns, ElementsAre("a, b", "say \"u\"", "2"));
  EXPECT_THAT(t.values, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(ParseCsv, TakesNamesFromACommentOrFromTheCaller) {
  EXPECT_THAT(parse_csv("# x y\n1 2\n", "d").columns, ElementsAre("x", "y"));
  EXPECT_THAT(parse_csv("#x,y\n1,2\n", "d").columns, ElementsAre("x", "y"));
  EXPECT_THAT(parse_csv("1,2\n3,4\n", "d", {.columns = {"a", "b"}}).columns, ElementsAre("a", "b"));
  EXPECT_THAT(parse_csv("1,2\n3,4\n", "d", {.columns = {"a", "b"}}).values,
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(parse_csv("a,b\n3,4\n", "d", {.columns = {"a", "b"}}).values, ElementsAre(3, 4));
}

TEST(ParseCsv, SaysWhereTheTextIsWrong) {
  EXPECT_EQ(error(""), "d.csv: file holds no table; it has no line of names");
  EXPECT_EQ(error("# only\n\n"), "d.csv: file holds no table; it has no line of names");
  EXPECT_EQ(error("x,y\n"), "d.csv: table has names but no rows; add at least one");
  EXPECT_EQ(error("\xFF\xFEx"), "d.csv: text is UTF-16; save it as UTF-8");
  EXPECT_EQ(error("x,y\n1,2\n3\n"), "d.csv:3: row has 1 values, expected 2");
  EXPECT_EQ(error("x,y\n1,2\n3,4,\n"), "d.csv:3: row has 3 values, expected 2");
  EXPECT_EQ(error("x y\n1 2 3\n"), "d.csv:2: row has 3 values, expected 2");
  EXPECT_EQ(error("x,y\n1, 2a\n"),
            "d.csv:2:4: '2a' is not a number; write a number, or remove the row");
  EXPECT_EQ(error("x,y\n1,--2\n"),
            "d.csv:2:3: '--2' is not a number; write a number, or remove the row");
  EXPECT_EQ(error("x,y\n1,+-2\n"),
            "d.csv:2:3: '+-2' is not a number; write a number, or remove the row");
  EXPECT_EQ(error("x,y\n1,\"2\"3x\n"),
            "d.csv:2:3: '23x' is not a number; write a number, or remove the row");
  EXPECT_EQ(error("x;y\n1;2,5\n"),
            "d.csv:2:3: '2,5' is not a number; decimals are written with a point");
  EXPECT_EQ(error("x,y\n1,\n"),
            "d.csv:2:3: value is missing; remove the row, or fill the value in");
  EXPECT_EQ(error("x,y\n1,2\nnan,1\n"),
            "d.csv:3:1: 'nan' is not a finite number; remove the row, or fill the value in");
  EXPECT_EQ(error("x,y\n1,-Inf\n"),
            "d.csv:2:3: '-Inf' is not a finite number; remove the row, or fill the value in");
  EXPECT_EQ(error("x,y\n1,1e999\n"),
            "d.csv:2:3: number '1e999' is too large; numbers end at 1.7e308");
  EXPECT_EQ(error("x,y,x\n1,2,3\n"), "d.csv:1: column name 'x' occurs twice; rename one of them");
  EXPECT_EQ(error("x,,z\n1,2,3\n"), "d.csv:1: column 2 has no name; give it one");
  EXPECT_EQ(error("1,2\n3,4\n"),
            "d.csv:1: the first line must name the columns, but holds numbers; put a line such as "
            "'x,t,u' on top");
  EXPECT_EQ(error("x,2\n3,4\n"),
            "d.csv:1:3: the first line mixes names and numbers: '2'; name the columns in the first "
            "line; quote a name that is a number");
  EXPECT_EQ(error("\"x,y\n3,4\n"),
            "d.csv:1:1: quote is not closed on its line; add one, or remove it");
  EXPECT_EQ(error("1,2\n", {.columns = {"x"}}),
            "d.csv:1: row has 2 numbers, but 1 column names were given");
  EXPECT_EQ(error("x,y\n1,2\n", {.columns = {"x", "z"}}),
            "d.csv:1: the columns are x, y, but x, z were expected");
  EXPECT_EQ(error(std::string("x\n\0\n", 4)),
            "d.csv:2:1: '?' is not a number; write a number, or remove the row");
}

TEST(ParseCsv, TakesNanAndInfWhenAllowed) {
  const Table t = parse_csv("x,y\nnan,-inf\n", "d", {.allow_nonfinite = true});
  EXPECT_TRUE(std::isnan(t.values[0]));
  EXPECT_EQ(t.values[1], -std::numeric_limits<double>::infinity());
}

TEST(ParseCsv, RoundsExtremeNumbersAsTheFormatSays) {
  const Table t = parse_csv("x\n1e-999\n-1e-999\n4.9e-324\n1.7976931348623157e308\n", "d");
  EXPECT_THAT(t.values, ElementsAre(0.0, -0.0, std::numeric_limits<double>::denorm_min(),
                                    std::numeric_limits<double>::max()));
  EXPECT_TRUE(std::signbit(t.values[1]));
}

TEST(Table, NamesTheNearestColumn) {
  const Table t = parse_csv("time,speed\n1,2\n", "d.csv");
  EXPECT_EQ(error_of([&] { (void)t.column("sped"); }),
            "d.csv: there is no column 'sped'; did you mean 'speed'? columns are: time, speed");
  EXPECT_EQ(error_of([&] { (void)t.column("Q"); }),
            "d.csv: there is no column 'Q'; columns are: time, speed");
}

TEST(ToCsv, ReadsBackToTheSameBits) {
  Rng rng(7);
  Table t{{"a", "b c", "#d", "1", "say \"x\"", "e;f"}, {}, {}};
  while (t.values.size() < 6000) {
    const double x = std::bit_cast<double>(rng.bits64());
    if (std::isfinite(x)) t.values.push_back(x);
  }
  for (const char separator : {',', ';', '\t', ' '}) {
    const Table back = parse_csv(to_csv(t, separator), "d");
    EXPECT_EQ(back.columns, t.columns) << separator;
    ASSERT_EQ(back.values.size(), t.values.size());
    for (std::size_t i = 0; i < t.values.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(back.values[i]),
                std::bit_cast<std::uint64_t>(t.values[i]));
  }
}

TEST(ToCsv, WritesShortNumbers) {
  EXPECT_EQ(to_csv({{"x", "y"}, {0.1, 1.0, -2.5e-7, 1e300}, {}}), "x,y\n0.1,1\n-2.5e-07,1e+300\n");
}

TEST(ToCsv, RefusesTablesThatCannotBeReadBack) {
  EXPECT_EQ(error_of([] { to_csv({{}, {}, {}}); }), "[io.csv]: table has no columns");
  EXPECT_EQ(error_of([] {
              to_csv({{"x", "x"}, {}, {}});
            }),
            "[io.csv]: column name 'x' occurs twice");
  EXPECT_EQ(error_of([] { to_csv({{"x", ""}, {}, {}}); }), "[io.csv]: column 2 has no name");
  EXPECT_EQ(error_of([] {
              to_csv({{"x", "y"}, {1, 2, 3}, {}});
            }),
            "[io.csv]: 3 values do not fill rows of 2 columns");
  EXPECT_EQ(error_of([] {
              to_csv({{"x\ny"}, {1}, {}});
            }),
            "[io.csv]: column name contains a line break");
  EXPECT_EQ(error_of([] {
              to_csv({{"x"}, {1}, {}}, '|');
            }),
            "[io.csv]: separator '|' is not one of comma, semicolon, tab, blank");
}

TEST(CsvLog, GrowsRowByRowAndResumes) {
  const TemporaryFolder folder;
  const auto path = folder / "log.csv";
  {
    CsvLog log(path, {"step", "loss"});
    EXPECT_EQ(read_file(path), "step,loss\n");
    log.row(std::vector<double>{0, 0.5});
    log.flush();
    EXPECT_EQ(read_file(path), "step,loss\n0,0.5\n");
    EXPECT_EQ(error_of([&] { log.row(std::vector<double>{1}); }, folder.path()),
              "log.csv: row has 1 values, expected 2");
    log.row(std::vector<double>{1, std::nan("")});
  }
  write_file_atomically(path, read_file(path) + "2,0.");  // as a killed run leaves it
  {
    CsvLog log(path, {"step", "loss"}, LogStart::resume);
    log.row(std::vector<double>{2, 0.25});
  }
  EXPECT_EQ(read_file(path), "step,loss\n0,0.5\n1,nan\n2,0.25\n");
  EXPECT_EQ(error_of([&] { CsvLog(path, {"step"}, LogStart::resume); }, folder.path()),
            "log.csv: the log has other columns, so it cannot be continued; write to a new file");
  { CsvLog log(folder / "new.csv", {"a"}, LogStart::resume); }
  EXPECT_EQ(read_file(folder / "new.csv"), "a\n");
  EXPECT_EQ(error_of([&] { CsvLog(folder / "no/log.csv", {"a"}); }, folder.path()),
            "no/log.csv: cannot write: No such file or directory");
}

TEST(Csv, NamesThatBeginLikeTheMarkOfAnEncodingAreReadBack) {
  for (const std::string name : {"\xFE\xFF\xFF", "\xFF\xFEu", "\xEF\xBB\xBFu"}) {
    Table table;
    table.columns = {name, "b"};
    table.values = {1, 2};
    const Table again = parse_csv(to_csv(table), "again.csv");
    EXPECT_EQ(again.columns, table.columns);
    EXPECT_EQ(again.values, table.values);
  }
}

TEST(Csv, NoNameOfAColumnIsAFormulaForASpreadsheet) {
  Table table;
  table.columns = {
      "=cmd|' /C calc'!A0", "+1", "-u", "@SUM(A1)", "'=a", "''+b", "'c", "u - v", "-3"};
  table.values = std::vector<double>(table.columns.size(), -1.5);
  for (const char separator : {',', ';', '\t'}) {
    const std::string text = to_csv(table, separator);
    const std::string names = text.substr(0, text.find('\n'));
    for (std::size_t at = 0; at != std::string::npos; at = names.find(separator, at + 1)) {
      const std::size_t first = names.find_first_not_of("\",;\t", at);
      EXPECT_EQ(std::string("=+-@").find(names[first]), std::string::npos) << names.substr(at);
    }
    const Table again = parse_csv(text, "again.csv");
    EXPECT_EQ(again.columns, table.columns);
    EXPECT_EQ(again.values, table.values);
  }
}

}  // namespace
}  // namespace cauchy::test_io_csv
