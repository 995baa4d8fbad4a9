#include "data/data_layout.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

#include "io/nearest_name.hpp"

namespace cauchy::detail {
namespace {

using ArraySizes = std::vector<std::size_t>;

struct KnownLayout {
  std::string_view input, output;
};
/// In the order in which they are looked for.
constexpr KnownLayout known_layouts[] = {
    {"coeff", "sol"}, {"Kcoeff", "sol"}, {"a", "u"}, {"x", "y"}};

std::string shape_text(const ArraySizes& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

/// MATLAB's first axis runs fastest: its files hold arrays with the axes turned around.
Array turned(const Array& array) {
  Array out{ArraySizes(array.shape.rbegin(), array.shape.rend()),
            std::vector<double>(array.values.size())};
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    // Axis k of the result is the k-th from the end of the array.
    std::size_t rest = i, from = 0, stride = out.values.size();
    for (std::size_t k = out.shape.size(); k-- > 0; rest /= out.shape[k]) {
      stride /= out.shape[k];
      from += rest % out.shape[k] * stride;
    }
    out.values[i] = array.values[from];
  }
  return out;
}

class ForeignReader final {
 public:
  ForeignReader(Hdf5Data file, const DataLayout& layout) : file_(std::move(file)), layout_(layout) {
    for (auto& [key, array] : file_.arrays) {
      if (file_.attributes[key].contains("MATLAB_class")) array = turned(array);
      keys_.push_back(key);
    }
  }

  [[nodiscard]] DataSet read() {
    choose_keys();
    n_ = array(inputs_[0]).shape.empty() ? 0 : array(inputs_[0]).shape[0];
    if (n_ == 0) throw Error(fmt::format("'{}' has no samples", inputs_[0]));
    read_grid();
    std::vector<Channels> in, out;
    for (const std::string& key : inputs_) in.push_back(channels_of(key, false));
    for (const std::string& key : outputs_) out.push_back(channels_of(key, true));
    d_.in = joined(in, d_.inputs);
    d_.out = joined(out, d_.outputs);
    if (std::any_of(out.begin(), out.end(), [](const Channels& c) { return c.is_time; })) {
      read_times(out);
    }
    read_more();
    name_slopes();
    return std::move(d_);
  }

 private:
  [[nodiscard]] Array& array(const std::string& key) {
    const auto it = file_.arrays.find(key);
    if (it != file_.arrays.end()) return it->second;
    throw Error(ErrorKind::not_found, fmt::format("there is no array '{}'", key), "",
                nearest_name_hint(key, keys_, "arrays"));
  }

  void choose_keys() {
    inputs_ = layout_.inputs;
    outputs_ = layout_.outputs;
    for (const KnownLayout& known : known_layouts) {
      const bool in = std::ranges::count(keys_, known.input) > 0;
      const bool out = std::ranges::count(keys_, known.output) > 0;
      if (inputs_.empty() && in && (out || !outputs_.empty())) inputs_ = {std::string(known.input)};
      if (outputs_.empty() && out && (in || !layout_.inputs.empty())) {
        outputs_ = {std::string(known.output)};
      }
    }
    if (inputs_.empty() || outputs_.empty()) {
      throw Error(ErrorKind::not_found,
                  "the file has no pair of arrays that is known (coeff and sol, Kcoeff and sol, a "
                  "and u, x and y)",
                  "", fmt::format("name them; arrays are: {}", fmt::join(keys_, ", ")));
    }
  }

  /// Nodes from the first input: [sample, n...] or [sample, 1, n...].
  void read_grid() {
    const ArraySizes& shape = array(inputs_[0]).shape;
    const std::size_t d = layout_.axes.size();
    ArraySizes n(shape.begin() + 1, shape.end());
    const bool channel = d > 0 ? n.size() == d + 1 : n.size() > 1 && n[0] == 1;
    if (channel) n.erase(n.begin());
    if (n.empty() || n.size() > 3 || (d > 0 && n.size() != d) ||
        std::any_of(n.begin(), n.end(), [](std::size_t k) { return k < 2 || k > 1 << 24; })) {
      throw Error(fmt::format("'{}' has the shape {}", inputs_[0], shape_text(shape)), "",
                  "an input is [sample, n1, ..., nd] with 1 to 3 axes");
    }
    nodes_ = 1;
    for (std::size_t k = 0; k < n.size(); ++k) {
      FieldGrid::Axis axis = d > 0 ? layout_.axes[k] : FieldGrid::Axis{std::string(1, "xyz"[k])};
      axis.n = static_cast<int>(n[k]);
      d_.grid.axes.push_back(std::move(axis));
      nodes_ *= n[k];
    }
    grid_ = std::move(n);
  }

  /// The numbers of one array as [sample, channel, nodes].
  struct Channels {
    std::string key;
    std::size_t n = 1;
    bool is_time = false;
    std::vector<double> values;
  };

  [[nodiscard]] Channels channels_of(const std::string& key, bool times) {
    Array& a = array(key);
    const ArraySizes& shape = a.shape;
    if (shape.empty() || shape[0] != n_) {
      throw Error(fmt::format("'{}' has {} samples, '{}' has {}", key, shape.empty() ? 0 : shape[0],
                              inputs_[0], n_),
                  "", "give as many of each");
    }
    const ArraySizes rest(shape.begin() + 1, shape.end());
    const std::size_t d = grid_.size();
    if (rest == grid_) return {key, 1, false, std::move(a.values)};
    if (rest.size() == d + 1 && ArraySizes(rest.begin() + 1, rest.end()) == grid_) {
      return {key, rest[0], false, std::move(a.values)};
    }
    if (times && rest.size() == d + 1 && ArraySizes(rest.begin(), rest.end() - 1) == grid_) {
      const std::size_t T = rest.back();
      Channels c{key, T, true, std::vector<double>(a.values.size())};
      for (std::size_t s = 0; s < n_; ++s) {
        for (std::size_t i = 0; i < nodes_; ++i) {
          for (std::size_t t = 0; t < T; ++t) {
            c.values[(s * T + t) * nodes_ + i] = a.values[(s * nodes_ + i) * T + t];
          }
        }
      }
      return c;
    }
    const bool other = rest.size() == d;
    throw Error(fmt::format("'{}' has the shape {}, which does not fit the nodes {} of '{}'", key,
                            shape_text(shape), shape_text(grid_), inputs_[0]),
                "",
                other ? "all functions of a data set live on one grid: thin the finer ones"
                      : "arrays are [sample, n1, ..., nd]");
  }

  /// Channels of several arrays side by side, and their names.
  [[nodiscard]] std::vector<double> joined(std::vector<Channels>& all,
                                           std::vector<std::string>& names) const {
    std::size_t total = 0;
    for (const Channels& c : all) {
      for (std::size_t k = 0; k < c.n; ++k) {
        names.push_back(c.n == 1 ? c.key : fmt::format("{}[{}]", c.key, k));
      }
      total += c.n;
    }
    if (all.size() == 1) return std::move(all[0].values);
    std::vector<double> values;
    values.reserve(n_ * total * nodes_);
    for (std::size_t s = 0; s < n_; ++s) {
      for (const Channels& c : all) {
        const auto from = c.values.begin() + static_cast<std::ptrdiff_t>(s * c.n * nodes_);
        values.insert(values.end(), from, from + static_cast<std::ptrdiff_t>(c.n * nodes_));
      }
    }
    return values;
  }

  void read_times(const std::vector<Channels>& out) {
    if (out.size() != 1) {
      throw Error("only one output may have times", "", "give the keys of one output");
    }
    const auto t = file_.arrays.find("t");
    const std::size_t T = out[0].n;
    if (t != file_.arrays.end() && t->second.values.size() == T) {
      d_.times = t->second.values;
    } else {
      for (std::size_t k = 0; k < T; ++k) d_.times.push_back(static_cast<double>(k));
      d_.notes["times"] = "not in the file: numbers of the frames";
    }
    for (std::size_t k = 0; k < T; ++k) {
      d_.outputs[k] = fmt::format("{}(t={})", out[0].key, d_.times[k]);
    }
  }

  void read_more() {
    for (const std::string& key : keys_) {
      const auto is_taken = [&](const auto& list) { return std::ranges::count(list, key) > 0; };
      if (is_taken(inputs_) || is_taken(outputs_)) continue;
      Array& a = file_.arrays[key];
      ArraySizes shape = a.shape;
      if (shape.size() == grid_.size() + 2 && shape[1] == 1) shape.erase(shape.begin() + 1);
      if (shape.size() != grid_.size() + 1 || shape[0] != n_) continue;
      if (ArraySizes(shape.begin() + 1, shape.end()) == grid_) d_.more[key] = std::move(a.values);
    }
  }

  /// How far an array is from the derivative of another along an axis, by central differences.
  [[nodiscard]] double slope_misfit(const std::vector<double>& slope, const std::vector<double>& of,
                                    std::size_t axis) const {
    const std::size_t nx = grid_[0], ny = grid_[1], step = axis == 0 ? ny : 1;
    const double h = d_.grid.axes[axis].spacing();
    double misfit = 0;
    for (std::size_t i = 1; i + 1 < nx; ++i) {
      for (std::size_t j = 1; j + 1 < ny; ++j) {
        const std::size_t at = i * ny + j;
        const double difference = (of[at + step] - of[at - step]) / (2 * h) - slope[at];
        misfit += difference * difference;
      }
    }
    return misfit;
  }

  /// The public Darcy files call the derivative along the second axis Kcoeff_x ("data is
  /// reversed"); the numbers of the first sample decide.
  void name_slopes() {
    const auto x = d_.more.find("Kcoeff_x"), y = d_.more.find("Kcoeff_y");
    if (x == d_.more.end() || y == d_.more.end() || grid_.size() != 2) return;
    const auto K = d_.more.find("Kcoeff");
    const std::vector<double>& of = K != d_.more.end() ? K->second : d_.in;
    if (K == d_.more.end() && d_.inputs != std::vector<std::string>{"Kcoeff"}) return;
    const double as_named = slope_misfit(x->second, of, 0) + slope_misfit(y->second, of, 1);
    const double swapped = slope_misfit(x->second, of, 1) + slope_misfit(y->second, of, 0);
    if (!(swapped < as_named)) return;
    std::swap(x->second, y->second);
    d_.notes["Kcoeff_x, Kcoeff_y"] =
        "swapped: in the file Kcoeff_x is the derivative along the second axis";
  }

  Hdf5Data file_;
  const DataLayout& layout_;
  std::vector<std::string> keys_, inputs_, outputs_;
  DataSet d_;
  std::size_t n_ = 0, nodes_ = 0;  // samples, nodes
  ArraySizes grid_;
};

}  // namespace

DataSet foreign_data_set(Hdf5Data file, const DataLayout& layout) {
  return ForeignReader(std::move(file), layout).read();
}

}  // namespace cauchy::detail
