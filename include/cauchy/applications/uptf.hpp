#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cauchy/data/operator_problem.hpp>
#include <cauchy/io/array.hpp>
#include <cauchy/tensor/field_grid.hpp>

namespace cauchy {

struct DataSet;

/// Trajectories of any dimension in one shape, the unified physics tensor format UPTF-7 of MORPH
/// (Rautela et al. 2025): row-major (N, T, F, C, D, H, W), that is trajectories, moments, fields,
/// components of a field, depth, height, width. What a set does not have has the length 1. Fields
/// with fewer components than others are lifted: their further components are 0.
struct Uptf {
  static constexpr std::string_view letters = "NTFCDHW";
  std::array<std::size_t, 7> shape = {};
  std::vector<double> values = {};
  std::vector<std::string> fields = {};      ///< names, F of them
  std::vector<std::size_t> components = {};  ///< of each field that are not zeros of the lifting
  std::array<bool, 3> periodic = {};         ///< along D, H, W

  [[nodiscard]] std::size_t size() const noexcept { return shape[0]; }  ///< trajectories
  /// Numbers of one moment of one trajectory, F C D H W.
  [[nodiscard]] std::size_t frame_size() const noexcept;
  [[nodiscard]] std::span<const double> frame(std::size_t trajectory, std::size_t moment) const;
  /// Trajectories first ... first + n - 1.
  ///   error    throws Error when there are not so many
  [[nodiscard]] Uptf part(std::size_t first, std::size_t n) const;
  friend bool operator==(const Uptf&, const Uptf&) = default;
};

/// Throws Error for a length of 0, lengths that do not fit the numbers, names or components, and
/// numbers that are not finite (with trajectory, moment and field).
void check(const Uptf& data);
/// For people: "(88, 13, 1, 1, 1, 1, 64)".
[[nodiscard]] std::string shape_text(const Uptf& data);

/// An array of others and what its axes are: letters of NTFCDHW, each at most once, in the order of
/// the array: "NTHWF" is [trajectory, moment, height, width, field].
struct UptfArray {
  Array array;
  std::string axes;
  /// Of the fields that it holds, one per length of F; without F one.
  std::vector<std::string> fields;
};
/// Arrays that together are the fields of one set; those with fewer components are lifted. Axes D,
/// H, F and C may be missing and have the length 1.
///   error    throws Error with one sentence: an axis N, T or W that is missing; more names than
///            fields where F is missing; another rank, a letter twice or unknown; arrays that
///            differ in N, T, D, H or W
[[nodiscard]] Uptf uptf_of(std::span<const UptfArray> arrays);
/// The way back: one field (-1: all of them) with these axes and without the zeros of the lifting.
///   error    throws Error for an axis of more than one point that is left out, with its length
[[nodiscard]] Array array_of(const Uptf& data, std::string_view axes, int field = -1);

/// Fields that are the components of one: {"velocity", {"u", "v"}}.
struct UptfVector {
  std::string field;
  std::vector<std::string> components;
};
/// The trajectories of a data set: outputs at all times, after the inputs that are their values at
/// the beginning. 1 axis of space is W, 2 are H and W, 3 are D, H and W.
///   error    throws Error where the axis T is missing (outputs without times), for times that are
///            not equally spaced, a cloud, an unknown component
[[nodiscard]] Uptf uptf_of(const OperatorProblem& problem, const DataSet& data,
                           std::span<const UptfVector> vectors = {});
/// The way back: `like` with the frames of these trajectories as its outputs, and as its inputs
/// where they are the first frame; others stay.
///   error    throws Error unless the shapes are those of uptf_of(problem, like, vectors)
[[nodiscard]] DataSet data_set_of(const Uptf& data, const OperatorProblem& problem,
                                  const DataSet& like, std::span<const UptfVector> vectors = {});

/// HDF5 with the array "uptf7" and its names, atomically.
void write_uptf(const std::filesystem::path& file, const Uptf& data);
/// What write_uptf wrote, or arrays of an HDF5 or NPZ file of others, by their keys.
struct UptfSource {
  std::string key, axes;
  std::vector<std::string> fields = {};  ///< empty: the key, with numbers where it has several
};
///   error    throws Error with the file: no such key (with the nearest), and as uptf_of
[[nodiscard]] Uptf read_uptf(const std::filesystem::path& file,
                             std::span<const UptfSource> sources = {});

}  // namespace cauchy
