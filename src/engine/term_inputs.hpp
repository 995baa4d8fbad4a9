#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/reduce.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy::detail {

/// The rows that the inputs of a graph have at the points of one term, and the derivatives of the
/// loss by them. Many points may share one set of rows; sets are kept, not copies per point.
template <class T>
class TermInputs final {
 public:
  explicit TermInputs(const Graph& graph) : n_rows_(graph.n_input_rows()) {
    for (const Graph::Input& spec : graph.inputs()) inputs_.push_back({.spec = spec});
  }
  [[nodiscard]] bool empty() const noexcept { return inputs_.empty(); }
  /// Rows of all inputs.
  [[nodiscard]] std::size_t n_rows() const noexcept { return static_cast<std::size_t>(n_rows_); }

  /// See Executor::set_input; `place` names the term in errors.
  void set(std::string_view name, std::span<const double> rows, std::span<const int> set_of_point,
           const std::string& place) {
    Input& input = find(name, place);
    const auto width = static_cast<std::size_t>(input.spec.rows);
    if (rows.empty() || rows.size() % width != 0) {
      throw Error(
          fmt::format("input '{}' has {} rows per set, got {} numbers", name, width, rows.size()),
          place);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (std::isfinite(rows[i])) continue;
      throw Error(
          fmt::format("row {} of set {} of input '{}' is {}", i % width, i / width, name, rows[i]),
          place, "inputs must be finite");
    }
    const std::size_t n_sets = rows.size() / width;
    for (std::size_t p = 0; p < set_of_point.size(); ++p) {
      if (set_of_point[p] >= 0 && static_cast<std::size_t>(set_of_point[p]) < n_sets) continue;
      throw Error(fmt::format("point {} takes set {} of input '{}', which has {} sets", p,
                              set_of_point[p], name, n_sets),
                  place);
    }
    input.n_sets = n_sets;
    input.values.assign(rows.begin(), rows.end());
    input.set_of_point.assign(set_of_point.begin(), set_of_point.end());
    has_chunks_ = has_gradient_ = false;
  }
  /// Forgets all rows: other points.
  void clear() {
    for (Input& input : inputs_) input = {.spec = input.spec};
    has_chunks_ = has_gradient_ = false;
  }

  /// Error, at place(), unless every input has rows for exactly n_points points. No allocation.
  template <class Place>
  void require(std::size_t n_points, const Place& place) const {
    for (const Input& input : inputs_) {
      if (input.n_sets == 0) {
        throw Error(fmt::format("input '{}' is not set", input.spec.name), place(),
                    "call set_input after set_points");
      }
      const std::size_t n = input.set_of_point.empty() ? input.n_sets : input.set_of_point.size();
      if (n != n_points) {
        throw Error(fmt::format("input '{}' is given for {} points instead of {}", input.spec.name,
                                n, n_points),
                    place());
      }
    }
  }

  /// out[r * n + p]: row r of all inputs at point min(first + p, n_points - 1).
  void gather(std::size_t first, std::size_t n, std::size_t n_points, T* out) const {
    for (const Input& input : inputs_) {
      const auto width = static_cast<std::size_t>(input.spec.rows);
      for (std::size_t p = 0; p < n; ++p) {
        const T* from =
            input.values.data() + input.set_of(std::min(first + p, n_points - 1)) * width;
        for (std::size_t r = 0; r < width; ++r) out[r * n + p] = from[r];
      }
      out += width * n;
    }
  }

  /// Places for the sums of every chunk of points, over the sets that it meets. Chunks are those
  /// of chunk_range(n_blocks, n_chunks, i). Allocates when inputs or chunks have changed.
  void start_gradient(std::size_t n_points, std::size_t block, std::size_t n_chunks) {
    has_gradient_ = true;
    if (has_chunks_ && block == block_ && n_chunks == n_chunks_) return;
    block_ = block;
    n_chunks_ = n_chunks;
    has_chunks_ = true;
    const std::size_t n_blocks = (n_points + block - 1) / block;
    for (Input& input : inputs_) {
      input.chunks.clear();
      std::size_t total = 0;
      for (std::size_t c = 0; c < n_chunks; ++c) {
        const IndexRange blocks = chunk_range(n_blocks, n_chunks, c);
        std::size_t low = input.n_sets - 1, high = 0;
        for (std::size_t p = blocks.begin * block; p < std::min(n_points, blocks.end * block);
             ++p) {
          low = std::min(low, input.set_of(p));
          high = std::max(high, input.set_of(p));
        }
        input.chunks.push_back({low, high + 1, total});
        total += (high + 1 - low) * static_cast<std::size_t>(input.spec.rows);
      }
      input.sums.resize(total);
    }
  }
  void clear_sums(std::size_t chunk) {
    for (Input& input : inputs_) {
      const Chunk& c = input.chunks[chunk];
      std::fill_n(input.sums.begin() + static_cast<std::ptrdiff_t>(c.offset),
                  (c.high - c.low) * static_cast<std::size_t>(input.spec.rows), 0.0);
    }
  }
  /// Adds the adjoints of one block, in the layout of gather().
  void add(std::size_t chunk, std::size_t first, std::size_t n, std::size_t n_points,
           const T* adjoints) {
    for (Input& input : inputs_) {
      const Chunk& c = input.chunks[chunk];
      const auto width = static_cast<std::size_t>(input.spec.rows);
      for (std::size_t p = 0; p < n && first + p < n_points; ++p) {
        double* to = input.sums.data() + c.offset + (input.set_of(first + p) - c.low) * width;
        for (std::size_t r = 0; r < width; ++r) to[r] += static_cast<double>(adjoints[r * n + p]);
      }
      adjoints += width * n;
    }
  }
  /// See Executor::input_gradient; chunks are added in their order.
  void gradient(std::string_view name, std::span<double> out, const std::string& place) {
    const Input& input = find(name, place);
    const auto width = static_cast<std::size_t>(input.spec.rows);
    if (!has_gradient_) {
      throw Error(fmt::format("there is no gradient by input '{}' yet", name), place,
                  "call gradient() after set_input");
    }
    if (out.size() != input.n_sets * width) {
      throw Error(fmt::format("the gradient by input '{}' needs {} numbers, got {}", name,
                              input.n_sets * width, out.size()),
                  place);
    }
    std::fill(out.begin(), out.end(), 0.0);
    for (const Chunk& c : input.chunks) {
      const std::size_t n = (c.high - c.low) * width;
      for (std::size_t i = 0; i < n; ++i) out[c.low * width + i] += input.sums[c.offset + i];
    }
  }

 private:
  /// Sums over sets [low, high) lie at `offset`.
  struct Chunk {
    std::size_t low, high, offset;
  };
  struct Input {
    Graph::Input spec;
    std::size_t n_sets = 0;
    std::vector<T> values = {};          ///< row-major n_sets x rows
    std::vector<int> set_of_point = {};  ///< of each point; empty: point p has set p
    std::vector<Chunk> chunks = {};
    std::vector<double> sums = {};
    [[nodiscard]] std::size_t set_of(std::size_t p) const {
      return set_of_point.empty() ? p : static_cast<std::size_t>(set_of_point[p]);
    }
  };

  Input& find(std::string_view name, const std::string& place) {
    std::vector<std::string_view> names;
    for (Input& input : inputs_) {
      if (input.spec.name == name) return input;
      names.push_back(input.spec.name);
    }
    throw Error(fmt::format("unknown input '{}'", name), place,
                names.empty() ? "the network has no inputs"
                              : fmt::format("inputs are: {}", fmt::join(names, ", ")));
  }

  int n_rows_;
  std::vector<Input> inputs_;
  std::size_t block_ = 0, n_chunks_ = 0;
  bool has_chunks_ = false, has_gradient_ = false;
};

}  // namespace cauchy::detail
