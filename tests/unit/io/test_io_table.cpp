#include <gmock/gmock.h>

#include <cmath>

#include <cauchy/io/files.hpp>
#include <cauchy/io/hdf5.hpp>
#include <cauchy/io/npy.hpp>
#include <cauchy/io/npz.hpp>
#include <cauchy/io/table.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_io_table {
namespace {

using ::testing::ElementsAre;

TEST(ReadTable, ReadsBackWhatWriteTableWrote) {
  const TemporaryFolder folder;
  const Table table{{"t", "u", "x"}, {0.1, 2, 3, 4, 5.5, 6}};
  for (const char* name : {"a.csv", "a.tsv", "a.txt", "a.npz", "a.h5", "a.hdf5", "A.CSV"}) {
    write_table(folder / name, table);
    const Table back = read_table(folder / name);
    EXPECT_EQ(back.columns, table.columns) << name;
    EXPECT_EQ(back.values, table.values) << name;
    EXPECT_EQ(back.source, (folder / name).string());
  }
  write_table(folder / "a.npy", table);
  EXPECT_EQ(read_table(folder / "a.npy", {.columns = {"a", "b", "c"}}).values, table.values);
}

TEST(ReadTable, TakesColumnsOfOneAxisOrOneColumn) {
  const TemporaryFolder folder;
  write_npz(folder / "a.npz", {{"x", Array::list({1, 2})}, {"u", {{2, 1}, {3, 4}}}});
  const Table t = read_table(folder / "a.npz");
  EXPECT_THAT(t.columns, ElementsAre("u", "x"));
  EXPECT_THAT(t.values, ElementsAre(3, 1, 4, 2));
  write_npy(folder / "a.npy", Array::list({1, 2, 3}));
  EXPECT_THAT(read_table(folder / "a.npy", {.columns = {"u"}}).values, ElementsAre(1, 2, 3));
}

TEST(ReadTable, ReadsAGroupOfAnHdf5File) {
  const TemporaryFolder folder;
  write_hdf5(folder / "a.h5", {{{"data/x", Array::list({1, 2})},
                                {"data/u", Array::list({3, 4})},
                                {"data/deep/v", Array::list({5})},
                                {"w", Array::list({6})}},
                               {}});
  const Table t = read_table(folder / "a.h5", {.group = "data"});
  EXPECT_THAT(t.columns, ElementsAre("u", "x"));
  EXPECT_THAT(t.values, ElementsAre(3, 1, 4, 2));
  EXPECT_THAT(read_table(folder / "a.h5").columns, ElementsAre("w"));
}

TEST(ReadTable, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto error = [&](const char* name, const TableOptions& options = {}) {
    return error_of([&] { read_table(folder / name, options); }, folder.path());
  };
  EXPECT_EQ(error("a.xlsx"),
            "a.xlsx: ending '.xlsx' is not one of a table; endings are: .csv .tsv .txt .npy .npz "
            ".h5 .hdf5");
  for (const char* name : {"none.csv", "none.npy", "none.npz", "none.h5"})
    EXPECT_EQ(error(name),
              std::string(name) + ": file does not exist; check the name and the folder");

  write_npy(folder / "a.npy", {{2, 2}, {1, 2, 3, 4}});
  EXPECT_EQ(error("a.npy"), "a.npy: the file has no column names; give the names of the columns");
  EXPECT_EQ(error("a.npy", {.columns = {"x"}}),
            "a.npy: the array has 2 columns, but 1 names were given");
  EXPECT_EQ(error("a.npy", {.columns = {"x", "x"}}), "a.npy: column name 'x' occurs twice");
  write_npy(folder / "b.npy", {{1, 1, 1}, {1}});
  EXPECT_EQ(error("b.npy", {.columns = {"x"}}),
            "b.npy: a table needs an array of one or two axes, got shape (1, 1, 1)");

  write_npz(folder / "a.npz", {{"x", Array::list({1, 2})}, {"y", Array::list({1})}});
  EXPECT_EQ(error("a.npz"), "a.npz: column 'y' has 1 rows, but 'x' has 2");
  write_npz(folder / "b.npz", {{"x", {{2, 2}, {1, 2, 3, 4}}}});
  EXPECT_EQ(error("b.npz"),
            "b.npz: array 'x' is no column: it has shape (2, 2); columns are arrays of one axis");
  write_npz(folder / "c.npz", {});
  EXPECT_EQ(error("c.npz"), "c.npz: file holds no arrays of numbers");
  write_npz(folder / "d.npz", {{"x", Array::list({1, std::nan("")})}});
  EXPECT_EQ(error("d.npz"),
            "d.npz: row 2 of column 'x' is nan, not a finite number; remove the row, or fill the "
            "value in");
  EXPECT_EQ(read_table(folder / "d.npz", {.allow_nonfinite = true}).rows(), 2U);
  EXPECT_EQ(error("d.npz", {.columns = {"y"}}), "d.npz: the columns are x, but y were expected");

  write_hdf5(folder / "a.h5", {{{"g/x", Array::list({1})}}, {}});
  EXPECT_EQ(error("a.h5"),
            "a.h5: group '/' holds no arrays of numbers; name the group that holds the columns");
}

TEST(WriteTable, ChecksBeforeItWrites) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of(
                [&] {
                  write_table(folder / "a.doc", {{"x"}, {1}});
                },
                folder.path()),
            "a.doc: ending '.doc' is not one of a table; endings are: .csv .tsv .txt .npy .npz .h5 "
            ".hdf5");
  EXPECT_EQ(error_of(
                [&] {
                  write_table(folder / "a.csv", {{"x", "x"}, {1, 2}});
                },
                folder.path()),
            "a.csv: column name 'x' occurs twice");
  EXPECT_EQ(folder.n_entries(), 0U);
}

}  // namespace
}  // namespace cauchy::test_io_table
