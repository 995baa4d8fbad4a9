// UPTF-7 from data sets and files, and back.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/applications/uptf.hpp>
#include <cauchy/base/error.hpp>
#include <cauchy/data/data_set.hpp>
#include <cauchy/io/hdf5.hpp>
#include <cauchy/io/npz.hpp>

#include "io/nearest_name.hpp"
#include "operators/channels.hpp"

namespace cauchy {
namespace {

constexpr std::string_view data_place = "[uptf]", uptf_array = "uptf7";

/// Where the frames of a data set lie: [moment][field of the data], and what they are in UPTF-7.
struct FrameTable {
  std::vector<std::vector<detail::ChannelSource>> frames;
  struct Group {
    std::string name;
    std::vector<std::size_t> fields;  // its components
  };
  std::vector<Group> groups;
  std::array<std::size_t, 7> shape = {1, 1, 1, 1, 1, 1, 1};
};

std::vector<FrameTable::Group> group_fields(const std::vector<std::string>& fields,
                                            std::span<const UptfVector> vectors) {
  std::vector<FrameTable::Group> groups;
  std::vector<bool> taken(fields.size(), false);
  const auto index = [&](const std::string& name) {
    const auto at = std::find(fields.begin(), fields.end(), name);
    if (at == fields.end()) {
      throw Error(ErrorKind::not_found, fmt::format("there is no field '{}'", name), data_place,
                  fmt::format("fields are: {}", fmt::join(fields, ", ")));
    }
    return static_cast<std::size_t>(at - fields.begin());
  };
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (taken[f]) continue;
    FrameTable::Group group{fields[f], {f}};
    for (const UptfVector& v : vectors) {
      if (std::find(v.components.begin(), v.components.end(), fields[f]) == v.components.end()) {
        continue;
      }
      group = {v.field, {}};
      for (const std::string& name : v.components) group.fields.push_back(index(name));
    }
    for (const std::size_t k : group.fields) {
      if (taken[k]) {
        throw Error(fmt::format("field '{}' is a component twice", fields[k]), data_place);
      }
      taken[k] = true;
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

FrameTable frame_table(const OperatorProblem& problem, const DataSet& data,
                       std::span<const UptfVector> vectors) {
  if (data.grid.is_cloud()) {
    throw Error(ErrorKind::unsupported, "a cloud of points has no axes D, H, W", data_place,
                "give data on a grid");
  }
  const bool timed =
      std::any_of(data.outputs.begin(), data.outputs.end(),
                  [](const std::string& name) { return detail::frame_in(name).has_value(); });
  if (!timed) {
    throw Error(fmt::format("axis T (moments) is missing: the outputs of '{}' have no times",
                            data.name.empty() ? problem.problem.name : data.name),
                data_place, "give `times` in [operator]");
  }
  const FieldOperator roll_out{.history = 1};
  const detail::Channels channels = detail::channels_of(problem, data, roll_out);
  FrameTable table{detail::table_of(channels, data).frames, group_fields(channels.fields, vectors)};
  for (const FrameTable::Group& g : table.groups) {
    table.shape[3] = std::max(table.shape[3], g.fields.size());
  }
  table.shape[0] = data.size();
  table.shape[1] = table.frames.size();
  table.shape[2] = table.groups.size();
  const std::vector<int> sizes = data.grid.sizes();
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    table.shape[7 - sizes.size() + a] = static_cast<std::size_t>(sizes[a]);
  }
  return table;
}

/// Calls body(channel of the data, its place in UPTF-7) for every function of every sample.
template <class Body>
void for_each_function(const FrameTable& t, Body body) {
  const auto& s = t.shape;
  const std::size_t points = s[4] * s[5] * s[6];
  for (std::size_t n = 0; n < s[0]; ++n) {
    for (std::size_t m = 0; m < s[1]; ++m) {
      for (std::size_t f = 0; f < s[2]; ++f) {
        const std::vector<std::size_t>& fields = t.groups[f].fields;
        for (std::size_t c = 0; c < fields.size(); ++c) {
          body(n, t.frames[m][fields[c]], (((n * s[1] + m) * s[2] + f) * s[3] + c) * points,
               points);
        }
      }
    }
  }
}

std::vector<std::string> numbered_names(const UptfSource& s, const Array& array) {
  if (!s.fields.empty()) return s.fields;
  const std::size_t f = s.axes.find('F');
  const std::size_t n = f < array.shape.size() ? array.shape[f] : 1;
  if (n == 1) return {s.key};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.push_back(fmt::format("{}{}", s.key, i + 1));
  return names;
}

}  // namespace

Uptf uptf_of(const OperatorProblem& problem, const DataSet& data,
             std::span<const UptfVector> vectors) {
  const FrameTable table = frame_table(problem, data, vectors);
  Uptf u;
  u.shape = table.shape;
  for (const FrameTable::Group& g : table.groups) {
    u.fields.push_back(g.name);
    u.components.push_back(g.fields.size());
  }
  const std::size_t d = data.grid.axes.size();
  for (std::size_t a = 0; a < d; ++a) u.periodic[3 - d + a] = data.grid.axes[a].periodic;
  u.values.assign(u.shape[0] * u.shape[1] * u.frame_size(), 0.0);
  for_each_function(table, [&](std::size_t n, detail::ChannelSource source, std::size_t to,
                               std::size_t /*points*/) {
    std::ranges::copy(detail::channel_of(data, n, source),
                      u.values.begin() + static_cast<std::ptrdiff_t>(to));
  });
  check(u);
  return u;
}

DataSet data_set_of(const Uptf& data, const OperatorProblem& problem, const DataSet& like,
                    std::span<const UptfVector> vectors) {
  check(data);
  const FrameTable table = frame_table(problem, like, vectors);
  if (table.shape != data.shape) {
    throw Error(fmt::format("the trajectories have the shape {}, the data set ({})",
                            shape_text(data), fmt::join(table.shape, ", ")),
                data_place);
  }
  DataSet result = like;
  for_each_function(table, [&](std::size_t n, detail::ChannelSource source, std::size_t from,
                               std::size_t points) {
    const std::size_t channels = source.is_input ? like.inputs.size() : like.outputs.size();
    std::vector<double>& to = source.is_input ? result.in : result.out;
    std::copy_n(data.values.begin() + static_cast<std::ptrdiff_t>(from), points,
                to.begin() + static_cast<std::ptrdiff_t>((n * channels + source.channel) * points));
  });
  return result;
}

void write_uptf(const std::filesystem::path& file, const Uptf& data) {
  check(data);
  Hdf5Data out;
  out.arrays[std::string(uptf_array)] = {{data.shape.begin(), data.shape.end()}, data.values};
  out.arrays["components"] = Array::list({data.components.begin(), data.components.end()});
  out.arrays["periodic"] = Array::list({data.periodic.begin(), data.periodic.end()});
  out.attributes["/"]["format"] = "cauchy uptf-7 1";
  out.attributes["/"]["fields"] = fmt::format("{}", fmt::join(data.fields, "\n"));
  write_hdf5(file, out);
}

Uptf read_uptf(const std::filesystem::path& file, std::span<const UptfSource> sources) {
  const std::string place = file.string();
  Hdf5Data read;
  if (file.extension() == ".npz") {
    read.arrays = read_npz(file);
  } else {
    read = read_hdf5(file);
  }
  const auto array = [&](const std::string& key) -> const Array& {
    const auto at = read.arrays.find(key);
    if (at != read.arrays.end()) return at->second;
    std::vector<std::string> known;
    for (const auto& [name, unused] : read.arrays) known.push_back(name);
    throw Error(ErrorKind::not_found, fmt::format("there is no array '{}'", key), place,
                detail::nearest_name_hint(key, known, "arrays"));
  };
  try {
    if (!sources.empty()) {
      std::vector<UptfArray> arrays;
      for (const UptfSource& s : sources) {
        const Array& a = array(s.key);
        arrays.push_back({a, s.axes, numbered_names(s, a)});
      }
      return uptf_of(arrays);
    }
    Uptf u;
    const Array &values = array(std::string(uptf_array)), &components = array("components"),
                &periodic = array("periodic");
    if (values.shape.size() != 7 || periodic.values.size() != 3) {
      throw Error(fmt::format("an array of {} axes is no UPTF-7", values.shape.size()), place);
    }
    std::ranges::copy(values.shape, u.shape.begin());
    u.values = values.values;
    for (const double c : components.values) u.components.push_back(static_cast<std::size_t>(c));
    for (std::size_t a = 0; a < 3; ++a) u.periodic[a] = periodic.values[a] != 0;
    std::string_view names = read.attributes["/"]["fields"];
    while (true) {
      const std::size_t end = names.find('\n');
      u.fields.emplace_back(names.substr(0, end));
      if (end == std::string_view::npos) break;
      names.remove_prefix(end + 1);
    }
    check(u);
    return u;
  } catch (const Error& e) {
    if (e.place() == place) throw;
    throw Error(e.kind(), e.message(), place, e.hint());
  }
}

}  // namespace cauchy
