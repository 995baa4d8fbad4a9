#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <cauchy/data/triples.hpp>
#include <cauchy/tensor/field_grid.hpp>

namespace cauchy {

/// Pairs of functions on one grid: what an operator takes and what it gives. Row-major
/// [sample, channel, n1, ..., nd]; channels are functions, or functions at several times, those of
/// one time together: u(t=0.5), v(t=0.5), u(t=1), v(t=1).
struct DataSet {
  std::string name = {};  ///< of the problem; empty in files of others
  FieldGrid grid = {};
  std::vector<std::string> inputs = {};   ///< names of the channels: "a"
  std::vector<std::string> outputs = {};  ///< "u", "u(t=0.5)"
  std::vector<double> times = {};         ///< of the outputs; empty: without time
  std::vector<double> in = {}, out = {};
  /// Further arrays of the same samples by name, [sample, n1, ..., nd]: derivatives of
  /// coefficients.
  std::map<std::string, std::vector<double>> more = {};
  std::map<std::string, std::string> notes = {};  ///< how it was made, for people and for checks
  /// Answers of the samples of the training at points of their own, in place of theirs in `out`.
  Triples triples = {};

  [[nodiscard]] std::size_t size() const;  ///< samples
  [[nodiscard]] std::size_t in_size() const { return inputs.size() * grid.n_points(); }
  [[nodiscard]] std::size_t out_size() const { return outputs.size() * grid.n_points(); }
  /// Samples first ... first + n - 1, without triples.
  ///   error    throws Error when there are not so many
  [[nodiscard]] DataSet part(std::size_t first, std::size_t n) const;
  /// Every k-th node along every axis of a grid (n - 1, or n when periodic, must be a multiple).
  ///   error    throws Error for a grid that k does not fit, and for a cloud
  [[nodiscard]] DataSet thinned(int k) const;
};

/// Throws Error for lengths that do not fit, no samples, and numbers that are not finite (with the
/// sample, the channel and the node).
void check(const DataSet& data);

/// HDF5, self-describing and atomic; the bytes depend on the data alone.
///   arrays      in, out [sample, channel, n1, ..., nd], more/NAME [sample, n1, ..., nd], times;
///               axes/NAME with the nodes along each axis; of a cloud `cloud`, `cloud_weights`;
///               triples/sample, triples/points, triples/values
///   attributes  of the file: format ("cauchy data set 1"), name, axes, inputs, outputs (names, one
///               per line), notes/KEY; of an axis: lower, upper, periodic
///   error       as check(), and as write_hdf5
void write_data_set(const std::filesystem::path& file, const DataSet& data);

/// What the arrays of a file that others wrote mean.
struct DataLayout {
  /// Keys of arrays; empty: those of a layout that is known, "coeff" and "sol" (or "Kcoeff" and
  /// "sol"), "a" and "u", "x" and "y".
  std::vector<std::string> inputs = {}, outputs = {};
  /// Names, bounds and periodicity of the axes in the order of the arrays, their n is not looked
  /// at; empty: x, y, z from 0 to 1 with nodes at both ends.
  std::vector<FieldGrid::Axis> axes = {};
};

/// Reads what write_data_set wrote (then `layout` must be empty), or HDF5 and NPZ of others: arrays
/// [sample, n1, ..., nd], [sample, channel, n1, ..., nd] or, of outputs, [sample, n1, ..., nd,
/// time] with the times in an array "t". Arrays that MATLAB wrote are turned around. Other arrays
/// that fit come into `more`. Kcoeff_x and Kcoeff_y of the public Darcy files are the derivatives
/// along the second and the first axis; here they get the names of the axes (a note says so).
///   error    throws Error with the file: no such key (with the nearest), other shapes, different
///            numbers of samples or nodes, no samples, a number that is not finite (which sample)
[[nodiscard]] DataSet read_data_set(const std::filesystem::path& file,
                                    const DataLayout& layout = {});

}  // namespace cauchy
