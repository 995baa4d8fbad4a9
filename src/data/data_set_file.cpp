#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/data/data_set.hpp>
#include <cauchy/io/hdf5.hpp>
#include <cauchy/io/npz.hpp>
#include <cauchy/io/option_text.hpp>  // toml_number

#include "data/data_layout.hpp"
#include "io/hdf5_handles.hpp"

namespace cauchy {
namespace {

constexpr std::string_view data_format = "cauchy data set 1";
constexpr std::string_view note_prefix = "notes/";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<std::size_t> shape_of(const DataSet& d, std::size_t channels) {
  std::vector<std::size_t> shape{d.size()};
  if (channels > 0) shape.push_back(channels);
  for (const int n : d.grid.sizes()) shape.push_back(static_cast<std::size_t>(n));
  return shape;
}

/// Takes a data set of ours apart again. The file may be damaged: nothing is taken for granted.
class DataSetReader final {
 public:
  DataSetReader(Hdf5Data& file, const std::string& place) : file_(file), place_(place) {}

  [[nodiscard]] DataSet read() {
    DataSet d;
    d.name = attribute("/", "name");
    d.inputs = lines_of(attribute("/", "inputs"));
    d.outputs = lines_of(attribute("/", "outputs"));
    for (const std::string& name : lines_of(attribute("/", "axes"))) {
      FieldGrid::Axis axis;
      axis.name = name;
      const std::string key = "axes/" + name;
      axis.n = static_cast<int>(std::min<std::size_t>(array(key).values.size(), 1 << 28));
      axis.lower = number(key, "lower");
      axis.upper = number(key, "upper");
      axis.periodic = attribute(key, "periodic") == "true";
      d.grid.axes.push_back(std::move(axis));
    }
    if (file_.arrays.contains("cloud")) d.grid.cloud = std::move(array("cloud").values);
    if (file_.arrays.contains("cloud_weights")) {
      d.grid.cloud_weights = std::move(array("cloud_weights").values);
    }
    if (file_.arrays.contains("times")) d.times = std::move(array("times").values);
    d.in = std::move(array("in").values);
    if (file_.arrays.contains("out")) d.out = std::move(array("out").values);
    for (auto& [key, values] : file_.arrays) {
      if (key.starts_with("more/")) d.more[key.substr(5)] = std::move(values.values);
    }
    if (file_.arrays.contains("triples/sample")) d.triples = read_triples();
    for (const auto& [key, text] : file_.attributes["/"]) {
      if (key.starts_with(note_prefix)) d.notes[key.substr(note_prefix.size())] = text;
    }
    return d;
  }

 private:
  [[nodiscard]] Triples read_triples() {
    Triples t;
    t.coordinates = lines_of(attribute("/", "triples/coordinates"));
    t.fields = lines_of(attribute("/", "triples/fields"));
    for (const double s : array("triples/sample").values) {
      if (!(s >= 0 && s < 1e15)) damaged("whole numbers in 'triples/sample'");
      t.sample.push_back(static_cast<std::size_t>(s));
    }
    t.points = std::move(array("triples/points").values);
    t.values = std::move(array("triples/values").values);
    return t;
  }
  [[noreturn]] void damaged(std::string_view what) const {
    throw Error(ErrorKind::file, fmt::format("the data set has no {}", what), place_,
                "the file is damaged or was cut off");
  }
  Array& array(const std::string& name) {
    const auto it = file_.arrays.find(name);
    if (it == file_.arrays.end()) damaged(fmt::format("array '{}'", name));
    return it->second;
  }
  const std::string& attribute(const std::string& object, const std::string& name) {
    const auto& texts = file_.attributes[object];
    const auto it = texts.find(name);
    if (it == texts.end()) damaged(fmt::format("attribute '{}' of '{}'", name, object));
    return it->second;
  }
  double number(const std::string& object, const std::string& name) {
    const std::string& text = attribute(object, name);
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) {
      damaged(fmt::format("number in attribute '{}' of '{}'", name, object));
    }
    return value;
  }

  Hdf5Data& file_;
  std::string place_;
};

bool is_hdf5(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".h5" || ending == ".hdf5" || ending == ".mat";
}

}  // namespace

void write_data_set(const std::filesystem::path& file, const DataSet& data) {
  check(data);
  detail::Hdf5Writer writer(file);
  writer.write("in", shape_of(data, data.inputs.size()), data.in);
  if (!data.out.empty()) writer.write("out", shape_of(data, data.outputs.size()), data.out);
  for (const auto& [key, values] : data.more)
    writer.write("more/" + key, shape_of(data, 0), values);
  if (!data.times.empty()) writer.write("times", {data.times.size()}, data.times);
  const std::size_t d = data.grid.axes.size();
  if (data.grid.is_cloud()) {
    writer.write("cloud", {data.grid.n_points(), d}, data.grid.cloud);
    if (!data.grid.cloud_weights.empty()) {
      writer.write("cloud_weights", {data.grid.n_points()}, data.grid.cloud_weights);
    }
  }
  std::vector<std::string> names;
  for (const FieldGrid::Axis& a : data.grid.axes) {
    names.push_back(a.name);
    std::vector<double> nodes;
    for (int i = 0; i < a.n; ++i) nodes.push_back(a.node(i));
    const std::string key = "axes/" + a.name;
    writer.write(key, {nodes.size()}, nodes);
    writer.write_attribute(key, "lower", toml_number(a.lower));
    writer.write_attribute(key, "upper", toml_number(a.upper));
    writer.write_attribute(key, "periodic", a.periodic ? "true" : "false");
  }
  const auto attribute = [&](const std::string& name, const std::string& text) {
    writer.write_attribute("/", name, text);
  };
  attribute("format", std::string(data_format));
  attribute("name", data.name);
  attribute("axes", fmt::format("{}", fmt::join(names, "\n")));
  attribute("inputs", fmt::format("{}", fmt::join(data.inputs, "\n")));
  attribute("outputs", fmt::format("{}", fmt::join(data.outputs, "\n")));
  if (const Triples& t = data.triples; !t.empty()) {
    writer.write("triples/sample", {t.size()},
                 std::vector<double>(t.sample.begin(), t.sample.end()));
    writer.write("triples/points", {t.size(), t.coordinates.size()}, t.points);
    writer.write("triples/values", {t.size(), t.fields.size()}, t.values);
    attribute("triples/coordinates", fmt::format("{}", fmt::join(t.coordinates, "\n")));
    attribute("triples/fields", fmt::format("{}", fmt::join(t.fields, "\n")));
  }
  for (const auto& [key, text] : data.notes) attribute(std::string(note_prefix) + key, text);
  writer.commit();
}

DataSet read_data_set(const std::filesystem::path& file, const DataLayout& layout) {
  const std::string place = file.string();
  if (!is_hdf5(file) && file.extension() != ".npz") {
    throw Error(ErrorKind::file, "a data set is an HDF5 or NPZ file", place,
                "name it .h5, .hdf5 or .npz");
  }
  Hdf5Data all;
  if (is_hdf5(file)) {
    all = read_hdf5(file);
  } else {
    all.arrays = read_npz(file);
  }
  const auto format = all.attributes["/"].find("format");
  const bool ours = format != all.attributes["/"].end() && format->second == data_format;
  try {
    if (ours && !(layout.inputs.empty() && layout.outputs.empty())) {
      throw Error("the file says itself what its arrays are", "", "leave out the keys");
    }
    DataSet d =
        ours ? DataSetReader(all, place).read() : detail::foreign_data_set(std::move(all), layout);
    check(d);
    return d;
  } catch (const Error& e) {
    throw e.at(place);
  }
}

}  // namespace cauchy
