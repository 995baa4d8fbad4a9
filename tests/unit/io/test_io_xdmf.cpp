#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <cauchy/io/files.hpp>
#include <cauchy/io/hdf5.hpp>
#include <cauchy/io/xdmf.hpp>

#include "support/io_support.hpp"

namespace cauchy::test_io_xdmf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Opening and closing tags match, quotes are closed, and there is one root element.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t n_roots = 0, at = 0;
  for (;;) {
    const std::size_t begin = xml.find_first_of("<>", at);
    if (begin == std::string::npos) return open.empty() && n_roots == 1;
    const std::size_t end = xml.find_first_of("<>", begin + 1);
    if (xml[begin] != '<' || end == std::string::npos || xml[end] != '>') return false;
    const std::string tag = xml.substr(begin + 1, end - begin - 1);
    at = end + 1;
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return false;
    if (tag.starts_with('?') || tag.ends_with('/')) continue;
    const std::string name = tag.substr(0, tag.find(' '));
    if (!name.starts_with('/')) {
      if (open.empty()) ++n_roots;
      open.push_back(name);
    } else {
      if (open.empty() || '/' + open.back() != name) return false;
      open.pop_back();
    }
  }
}

// Every DataItem names a dataset of the .h5 file with just these dimensions. Returns their number.
std::size_t check_items(const std::string& xml, const std::filesystem::path& h5) {
  const Hdf5Data data = read_hdf5(h5);
  const std::string key = "<DataItem Dimensions=\"";
  std::size_t n = 0;
  for (std::size_t at = xml.find(key); at != std::string::npos; at = xml.find(key, at + 1), ++n) {
    const std::size_t first = at + key.size(), text = xml.find('>', at) + 1;
    std::istringstream words(xml.substr(first, xml.find('"', first) - first));
    std::vector<std::size_t> shape;
    for (std::size_t k; words >> k;) shape.push_back(k);
    const std::string content = xml.substr(text, xml.find('<', text) - text);
    const std::string file = h5.filename().string() + ":/";
    EXPECT_TRUE(content.starts_with(file)) << content;
    const auto found = data.arrays.find(content.substr(std::min(file.size(), content.size())));
    EXPECT_TRUE(found != data.arrays.end()) << content;
    if (found == data.arrays.end()) continue;
    EXPECT_EQ(found->second.shape, shape) << content;
  }
  return n;
}

TEST(WriteXdmf, StoresAGridWithXFastest) {
  const TemporaryFolder folder;
  GridFields data{.axes = {{0, 1, 2}, {-1, 4}, {0, 1, 2, 5}}};
  Array u{{3, 2, 4}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 4; ++k) u.values.push_back(100 * i + 10 * j + k);
  data.fields["u"] = u;
  write_xdmf(folder / "a.xdmf", data);

  const std::string xml = read_file(folder / "a.xdmf");
  EXPECT_TRUE(is_well_formed(xml)) << xml;
  EXPECT_EQ(check_items(xml, folder / "a.h5"), 4U);
  EXPECT_THAT(xml, HasSubstr("<Topology TopologyType=\"3DRectMesh\" Dimensions=\"4 2 3\"/>"));
  EXPECT_THAT(xml, HasSubstr("<Geometry GeometryType=\"VXVYVZ\">"));
  EXPECT_THAT(xml, HasSubstr("<Attribute Name=\"u\" AttributeType=\"Scalar\" Center=\"Node\">"));
  const Hdf5Data h5 = read_hdf5(folder / "a.h5");
  EXPECT_THAT(h5.arrays.at("mesh/x").values, ElementsAre(0, 1, 2));
  EXPECT_THAT(h5.arrays.at("mesh/y").values, ElementsAre(-1, 4));
  EXPECT_THAT(h5.arrays.at("mesh/z").values, ElementsAre(0, 1, 2, 5));
  const Array& stored = h5.arrays.at("fields/u");
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(stored.values[(k * 2 + j) * 3 + i], static_cast<double>(100 * i + 10 * j + k));
  EXPECT_EQ(folder.n_entries(), 2U);
}

TEST(WriteXdmf, StoresGridsOfOneAndTwoAxes) {
  const TemporaryFolder folder;
  write_xdmf(folder / "a.xdmf",
             GridFields{.axes = {{0, 1}}, .fields = {{"u", Array::list({3, 4})}}});
  std::string xml = read_file(folder / "a.xdmf");
  EXPECT_THAT(xml, HasSubstr("Dimensions=\"1 1 2\"/>"));
  EXPECT_EQ(check_items(xml, folder / "a.h5"), 4U);
  write_xdmf(folder / "b.xmf", GridFields{.axes = {{0, 1}, {0, 1, 2}},
                                          .fields = {{"u", {{2, 3}, {1, 2, 3, 4, 5, 6}}}}});
  xml = read_file(folder / "b.xmf");
  EXPECT_THAT(xml, HasSubstr("Dimensions=\"1 3 2\"/>"));
  EXPECT_EQ(check_items(xml, folder / "b.h5"), 4U);
  EXPECT_THAT(read_hdf5_array(folder / "b.h5", "fields/u").values, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(read_hdf5_array(folder / "b.h5", "mesh/z").values, ElementsAre(0));
}

TEST(WriteXdmf, StoresTimeSeries) {
  const TemporaryFolder folder;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  write_xdmf(folder / "a.xdmf",
             GridFields{.axes = {{0, 1}, {0, 1}},
                        .times = {0, 0.1, 0.25},
                        .fields = {{"u", {{3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, nan}}},
                                   {"d(u,x)", {{3, 2, 2}, std::vector<double>(12)}},
                                   {"d(u<x)", {{3, 2, 2}, std::vector<double>(12)}}}});
  const std::string xml = read_file(folder / "a.xdmf");
  EXPECT_TRUE(is_well_formed(xml)) << xml;
  EXPECT_EQ(check_items(xml, folder / "a.h5"), 3U * (3 + 3));
  EXPECT_THAT(xml, HasSubstr("GridType=\"Collection\" CollectionType=\"Temporal\""));
  EXPECT_THAT(xml, HasSubstr("<Time Value=\"0.1\"/>"));
  EXPECT_THAT(xml, HasSubstr("Name=\"d(u&lt;x)\""));
  EXPECT_THAT(read_hdf5_array(folder / "a.h5", "fields/u/000001").values, ElementsAre(5, 7, 6, 8));
  EXPECT_TRUE(std::isnan(read_hdf5_array(folder / "a.h5", "fields/u/000002").values[3]));
}

TEST(WriteXdmf, StoresPoints) {
  const TemporaryFolder folder;
  write_xdmf(folder / "a.xdmf", PointFields{.points = {{3, 2}, {1, 2, 3, 4, 5, 6}},
                                            .times = {0, 1},
                                            .fields = {{"u", {{2, 3}, {1, 2, 3, 4, 5, 6}}}}});
  const std::string xml = read_file(folder / "a.xdmf");
  EXPECT_TRUE(is_well_formed(xml)) << xml;
  EXPECT_EQ(check_items(xml, folder / "a.h5"), 2U * 3);
  EXPECT_THAT(xml, HasSubstr("<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"3\""));
  const Hdf5Data h5 = read_hdf5(folder / "a.h5");
  EXPECT_THAT(h5.arrays.at("mesh/xyz").values, ElementsAre(1, 2, 0, 3, 4, 0, 5, 6, 0));
  EXPECT_THAT(h5.arrays.at("mesh/cells").values, ElementsAre(0, 1, 2));
  EXPECT_THAT(h5.arrays.at("fields/u/000001").values, ElementsAre(4, 5, 6));
}

TEST(WriteXdmf, NamesAreNoMarkup) {
  const TemporaryFolder folder;
  const std::string name = "a\"/><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>\n&e;\x01";
  write_xdmf(folder / "u.xdmf",
             GridFields{.axes = {{0, 1}}, .fields = {{name, Array::list({1, 2})}}});
  const std::string xml = content(folder / "u.xdmf");
  EXPECT_EQ(xml.find("<!"), std::string::npos);
  EXPECT_EQ(xml.find("&e;"), std::string::npos);
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
}

TEST(WriteXdmf, RefusesWhatDoesNotFitAndWritesNothing) {
  const TemporaryFolder folder;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto error = [&](const auto& data, const char* name = "a.xdmf") {
    return error_of([&] { write_xdmf(folder / name, data); }, folder.path());
  };
  EXPECT_EQ(error(GridFields{}), "[io.xdmf]: a grid has 1 to 3 axes, got 0");
  EXPECT_EQ(error(GridFields{.axes = {{}}}), "[io.xdmf]: an axis has no coordinates");
  EXPECT_EQ(error(GridFields{.axes = {{0, 1, 1}}}),
            "[io.xdmf]: coordinate must increase, got 1 after 1");
  EXPECT_EQ(error(GridFields{.axes = {{0, nan}}}), "[io.xdmf]: coordinate 2 is not finite");
  EXPECT_EQ(error(GridFields{.axes = {{0}}, .times = {1, 0}}),
            "[io.xdmf]: time must increase, got 0 after 1");
  EXPECT_EQ(error(GridFields{.axes = {{0, 1}}, .fields = {{"u", Array::list({1})}}}),
            "[io.xdmf]: field 'u' has shape (1), expected (2)");
  EXPECT_EQ(
      error(GridFields{.axes = {{0, 1}}, .times = {0, 1}, .fields = {{"u", Array::list({1, 2})}}}),
      "[io.xdmf]: field 'u' has shape (2), expected (2, 2)");
  EXPECT_EQ(error(GridFields{.axes = {{0, 1}}, .fields = {{"u", {{2}, {1}}}}}),
            "[io.xdmf]: shape (2) needs 2 numbers, got 1");
  EXPECT_EQ(error(GridFields{.axes = {{0, 1}}, .fields = {{"", Array::list({1, 2})}}}),
            "[io.xdmf]: a field has no name");
  EXPECT_EQ(error(GridFields{.axes = {{0, 1}}}, "a.vtk"),
            "a.vtk: ending must be .xdmf, got '.vtk'");
  EXPECT_EQ(error(GridFields{.axes = {{0, 1}}}, "a:b.xdmf"),
            "a:b.xdmf: file name must not contain ':'");
  EXPECT_EQ(error(PointFields{.points = Array::list({1, 2})}),
            "[io.xdmf]: points have shape (n, d) with d = 1, 2 or 3, got (2)");
  EXPECT_EQ(error(PointFields{.points = {{0, 2}, {}}}), "[io.xdmf]: there are no points");
  EXPECT_EQ(error(PointFields{.points = {{1, 1}, {nan}}}), "[io.xdmf]: a coordinate is not finite");
  EXPECT_EQ(folder.n_entries(), 0U);
}

}  // namespace
}  // namespace cauchy::test_io_xdmf
