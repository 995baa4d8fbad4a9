#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cauchy/base/threads.hpp>
#include <cauchy/data/operator_problem.hpp>
#include <cauchy/training/points.hpp>  // PointSource

#include "operators/deeponet/deeponet_executor.hpp"
#include "operators/deeponet/deeponet_map.hpp"

namespace cauchy::detail {

/// The functions that a DeepONet is trained on, the terms of its loss with their points, and the
/// numbers of both.
///   functions   those of the data first, which have answers, then those drawn for the equations
///   data        a term of its own: |G(u) - truth|^2, in units of the truth of its sample or of the
///               field, points weighted by the quadrature of the grid; triples have points of their
///               own, which all count the same
///   equations   and conditions as a PINN has them; input functions in them are interpolated from
///               the grid of the data
struct DeepOnetSamples {
  struct Pool {
    Term term;
    PointSource::Kind kind = PointSource::Kind::equation;
    bool labelled = false;  ///< of functions with answers alone
    std::size_t n_points = 0;
    std::vector<double> points;   ///< row-major n x coordinates
    std::vector<double> weights;  ///< per point; empty: all 1
    /// Of triples: function f has the points first_row[f] ... first_row[f + 1] - 1, and its values
    /// are those of the points. Empty: all functions share all points.
    std::vector<std::size_t> first_row;
    struct Data {
      AlignedData::Per per = AlignedData::Per::pair;
      std::vector<double> values;  ///< [function][point], [point], or [function]
    };
    std::vector<Data> data;
  };
  std::size_t n_functions = 0, n_labelled = 0, n_physics = 0;
  std::vector<std::size_t> labelled;  ///< functions with answers; empty: 0 ... n_labelled - 1
  std::vector<double> sensors;        ///< [function][branch_inputs()], normalised
  std::vector<Pool> pools;

  /// Items of an epoch: item i meets labelled_function(i) in the data and i % n_physics in the
  /// equations.
  [[nodiscard]] std::size_t labelled_function(std::size_t i) const {
    return labelled.empty() ? i % n_labelled : labelled[i % n_labelled];
  }
  [[nodiscard]] std::size_t size() const noexcept { return std::max(n_labelled, n_physics); }
};

/// Draws functions and points, and completes the map: normalisation, sizes, principal functions.
///   train    samples with answers; may be empty for physics alone
///   triples  answers in place of theirs, unless there are none
///   numbers  of the functions of the equations, drawn where the problem says how; those of
///            `train` come first
///   error    throws Error (unsupported) at "equation '...'" or "condition '...'" for integrals and
///            unknown constants, and as make_loss of a PINN
[[nodiscard]] DeepOnetSamples make_deeponet_samples(DeepOnetMap& map,
                                                    const OperatorProblem& problem,
                                                    const DataSet& train, const Triples& triples,
                                                    std::size_t n_train, std::size_t known,
                                                    Threads& pool);

}  // namespace cauchy::detail
