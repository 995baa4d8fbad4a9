#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <span>

#include <cauchy/base/error.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/xdmf.hpp>

#include "base/xml_text.hpp"
#include "io/hdf5_handles.hpp"

namespace cauchy {
namespace {

constexpr std::string_view xdmf_place = "[io.xdmf]";

using GridShape = std::vector<std::size_t>;

void check_increasing(const std::vector<double>& values, std::string_view what) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw Error(fmt::format("{} {} is not finite", what, i + 1), xdmf_place);
    if (i > 0 && !(values[i] > values[i - 1]))
      throw Error(fmt::format("{} must increase, got {} after {}", what, values[i], values[i - 1]),
                  xdmf_place);
  }
}

void check_fields(const std::map<std::string, Array>& fields, GridShape shape,
                  const std::vector<double>& times) {
  check_increasing(times, "time");
  if (!times.empty()) shape.insert(shape.begin(), times.size());
  for (const auto& [name, array] : fields) {
    if (name.empty()) throw Error("a field has no name", xdmf_place);
    if (array.shape != shape)
      throw Error(fmt::format("field '{}' has shape ({}), expected ({})", name,
                              fmt::join(array.shape, ", "), fmt::join(shape, ", ")),
                  xdmf_place);
    check_array(array, xdmf_place);
  }
}

// Values with the first axis fastest, from values with the last axis fastest; shape has 3 axes.
std::vector<double> x_fastest(std::span<const double> values, const GridShape& shape) {
  std::vector<double> out(values.size());
  std::size_t at = 0;
  for (std::size_t z = 0; z < shape[2]; ++z)
    for (std::size_t y = 0; y < shape[1]; ++y)
      for (std::size_t x = 0; x < shape[0]; ++x)
        out[at++] = values[(x * shape[1] + y) * shape[2] + z];
  return out;
}

// Both files while they are made.
class XdmfFile final {
 public:
  explicit XdmfFile(const std::filesystem::path& path)
      : path_(path), h5_path_(std::filesystem::path(path).replace_extension(".h5")) {
    if (path.extension() != ".xdmf" && path.extension() != ".xmf")
      throw Error(fmt::format("ending must be .xdmf, got '{}'", path.extension().string()),
                  path.string());
    // In the XML a colon separates the file from the dataset.
    if (path.filename().string().find(':') != std::string::npos)
      throw Error("file name must not contain ':'", path.string());
  }

  std::string item(const std::string& dataset, const GridShape& shape,
                   std::string_view number = "Float") const {
    return fmt::format(
        "<DataItem Dimensions=\"{}\" NumberType=\"{}\" Precision=\"8\" Format=\"HDF\">{}:/{}"
        "</DataItem>",
        fmt::join(shape, " "), number, detail::xml_escaped(h5_path_.filename().string()), dataset);
  }

  // A name for a dataset that is safe in paths and used once.
  std::string dataset_name(std::string_view field) {
    std::string name;
    for (const char c : field) {
      const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                         (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
      name += plain ? c : '_';
    }
    while (!used_.insert(name).second) name += '_';
    return name;
  }

  detail::Hdf5Writer& h5() {
    if (!h5_) h5_ = std::make_unique<detail::Hdf5Writer>(h5_path_);
    return *h5_;
  }

  // mesh: the elements Topology and Geometry. put(name, values) writes one state of one field and
  // returns its DataItem.
  template <class Put>
  void write(const std::string& mesh, const std::vector<double>& times,
             const std::map<std::string, Array>& fields, Put&& put) {
    std::map<std::string, std::string> datasets;
    for (const auto& [name, array] : fields) datasets[name] = "fields/" + dataset_name(name);
    const std::size_t n_states = times.empty() ? 1 : times.size();
    std::string states;
    for (std::size_t k = 0; k < n_states; ++k) {
      states += fmt::format("<Grid Name=\"state{}\" GridType=\"Uniform\">\n", k);
      if (!times.empty()) states += fmt::format("<Time Value=\"{}\"/>\n", times[k]);
      states += mesh;
      for (const auto& [name, array] : fields) {
        const std::size_t size = array.values.size() / n_states;
        const std::string dataset =
            times.empty() ? datasets[name] : fmt::format("{}/{:06}", datasets[name], k);
        states += fmt::format(
            "<Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Node\">\n{}\n</Attribute>\n",
            detail::xml_escaped(name),
            put(dataset, std::span(array.values).subspan(k * size, size)));
      }
      states += "</Grid>\n";
    }
    if (!times.empty())
      states = fmt::format(
          "<Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n{}</Grid>\n",
          states);
    h5().commit();
    h5_.reset();
    write_file_atomically(path_, fmt::format("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                                             "<Xdmf Version=\"3.0\">\n<Domain>\n{}</Domain>\n"
                                             "</Xdmf>\n",
                                             states));
  }

 private:
  std::filesystem::path path_, h5_path_;
  std::unique_ptr<detail::Hdf5Writer> h5_;
  std::set<std::string> used_;
};

}  // namespace

void write_xdmf(const std::filesystem::path& path, const GridFields& data) {
  if (data.axes.empty() || data.axes.size() > 3)
    throw Error(fmt::format("a grid has 1 to 3 axes, got {}", data.axes.size()), xdmf_place);
  GridShape shape;
  for (const std::vector<double>& axis : data.axes) {
    if (axis.empty()) throw Error("an axis has no coordinates", xdmf_place);
    check_increasing(axis, "coordinate");
    shape.push_back(axis.size());
  }
  check_fields(data.fields, shape, data.times);

  XdmfFile file(path);
  shape.resize(3, 1);
  const GridShape zyx(shape.rbegin(), shape.rend());
  std::string mesh = fmt::format(
      "<Topology TopologyType=\"3DRectMesh\" Dimensions=\"{}\"/>\n<Geometry "
      "GeometryType=\"VXVYVZ\">\n",
      fmt::join(zyx, " "));
  const std::vector<double> zero{0.0};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string name = fmt::format("mesh/{}", "xyz"[k]);
    file.h5().write(name, {shape[k]}, std::span(k < data.axes.size() ? data.axes[k] : zero));
    mesh += file.item(name, {shape[k]}) + "\n";
  }
  mesh += "</Geometry>\n";
  file.write(mesh, data.times, data.fields,
             [&](const std::string& dataset, std::span<const double> values) {
               file.h5().write(dataset, zyx, std::span<const double>(x_fastest(values, shape)));
               return file.item(dataset, zyx);
             });
}

void write_xdmf(const std::filesystem::path& path, const PointFields& data) {
  check_array(data.points, xdmf_place);
  if (data.points.shape.size() != 2 || data.points.shape[1] < 1 || data.points.shape[1] > 3)
    throw Error(fmt::format("points have shape (n, d) with d = 1, 2 or 3, got ({})",
                            fmt::join(data.points.shape, ", ")),
                xdmf_place);
  const std::size_t n = data.points.shape[0], d = data.points.shape[1];
  if (n == 0) throw Error("there are no points", xdmf_place);
  for (const double x : data.points.values)
    if (!std::isfinite(x)) throw Error("a coordinate is not finite", xdmf_place);
  check_fields(data.fields, {n}, data.times);

  XdmfFile file(path);
  std::vector<double> xyz(3 * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < d; ++k) xyz[3 * i + k] = data.points.values[i * d + k];
  // Each point is a cell of its own; some readers need that list in full.
  std::vector<std::int64_t> cells(n);
  std::iota(cells.begin(), cells.end(), std::int64_t{0});
  file.h5().write("mesh/xyz", {n, 3}, std::span<const double>(xyz));
  file.h5().write("mesh/cells", {n, 1}, std::span<const std::int64_t>(cells));
  const std::string mesh = fmt::format(
      "<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\" NodesPerElement=\"1\">\n{}\n"
      "</Topology>\n<Geometry GeometryType=\"XYZ\">\n{}\n</Geometry>\n",
      n, file.item("mesh/cells", {n, 1}, "Int"), file.item("mesh/xyz", {n, 3}));
  file.write(mesh, data.times, data.fields,
             [&](const std::string& dataset, std::span<const double> values) {
               file.h5().write(dataset, {n}, values);
               return file.item(dataset, {n});
             });
}

}  // namespace cauchy
