#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cauchy/engine/executor.hpp>

#include "operators/deeponet/deeponet_map.hpp"

namespace cauchy::detail {

/// Numbers that belong to the points or functions of an aligned term, for one entry of Term::data.
struct AlignedData {
  enum class Per : std::uint8_t { pair, point, sample };
  Per per = Per::pair;
  std::span<const double> values;  ///< of pairs: row-major functions x points
};

/// A term over all pairs of some functions and some points.
struct AlignedPoints {
  std::span<const double> points;          ///< row-major n x coordinates
  std::span<const AlignedData> data = {};  ///< as Term::data
  std::span<const double> weights = {};    ///< per point; empty: all 1
  std::span<const int> samples = {};       ///< rows of set_samples(); empty: all
};

/// The loss of a DeepONet: residuals of fields G(u)(y) and their derivatives by y over pairs of
/// functions u and points y.
///   aligned    (set_aligned) every derivative of all pairs is one product of two matrices,
///              B (functions x p) and T' (p x points): branch and trunk are evaluated once per
///              function and once per point, and so are their adjoints
///   pairs      (set_pairs, or set_points and set_input): each pair of a function and a point by
///              itself, for functions that share no points
///   order      of pairs: functions are rows, points columns; residuals follow it
///   memory     (functions + points) x p numbers per derivative, and residuals in tiles
///   others     as Executor; gradient_norms, jacobian, jacobian_times, input_gradient and predict
///              throw Error (unsupported)
class DeepOnetExecutor : public Executor {
 public:
  /// The functions of the next evaluations, row-major n x DeepOnetMap::branch_inputs(), normalised.
  virtual void set_samples(std::span<const double> rows) = 0;
  virtual void set_aligned(std::size_t term, const AlignedPoints& points) = 0;
  /// samples: the function of every point, a row of set_samples().
  virtual void set_pairs(std::size_t term, const TermPoints& points,
                         std::span<const int> samples) = 0;
};

/// What a DeepONet is trained by.
///   error    throws Error as make_executor
[[nodiscard]] std::unique_ptr<DeepOnetExecutor> make_deeponet_executor(
    const DeepOnetMap& map, std::vector<Term> terms, std::shared_ptr<Threads> pool,
    Precision precision);

}  // namespace cauchy::detail
