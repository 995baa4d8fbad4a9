#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/aligned.hpp>
#include <cauchy/base/reduce.hpp>
#include <cauchy/engine/residual_form.hpp>

#include "engine/term_programs.hpp"
#include "operators/deeponet/deeponet_executor.hpp"

namespace cauchy::detail {

/// Makes a vector at least n long; steps of a training then allocate nothing.
template <class V>
void widen(V& v, std::size_t n) {
  if (v.size() < n) v.resize(n);
}

/// What is done with the rows of a tile.
enum class ProductSweep : std::uint8_t { loss, gradient, residuals, transposed };

/// One term: its programs, points, data, and the arrays of an evaluation.
template <class T>
struct ProductTerm {
  Term spec;
  ResidualForm form;
  Program<T> loss_gradient, loss_value, residual, reverse;
  std::vector<std::size_t> field;  // of each row

  bool aligned = true;
  std::size_t n_points = 0;   // of the trunk
  std::size_t n_samples = 0;  // aligned: functions
  std::vector<int> sample;    // aligned: of each function; else of each point
  bool all_samples = false;
  AlignedVector<T> points;  // coordinate-major
  struct Data {
    AlignedData::Per per;
    AlignedVector<T> values;
  };
  std::vector<Data> data;
  AlignedVector<T> weights;  // per point
  std::vector<double> given_weights;

  std::vector<double> pod_points, pod_values;  // where principal functions were last evaluated
  std::vector<double> trunk, seeds;            // [point][row][1 + p], the offset first
  AlignedVector<T> t, dt;                      // [row][point][p]
  AlignedVector<T> offset, doffset;            // [row][point]
  AlignedVector<T> db;                         // [chunk][sample][products]
  std::vector<double> chunk_loss;

  ProductTerm(Term s, ResidualForm f, const TermPrograms& programs)
      : spec(std::move(s)),
        form(std::move(f)),
        loss_gradient(programs.loss_gradient),
        loss_value(programs.loss_value),
        residual(programs.residual),
        reverse(programs.reverse) {}

  [[nodiscard]] std::size_t rows() const { return form.rows.size(); }
  [[nodiscard]] std::size_t residuals() const { return form.residuals.size(); }
  [[nodiscard]] std::size_t pairs() const { return aligned ? n_samples * n_points : n_points; }
  [[nodiscard]] std::string place() const { return fmt::format("term '{}'", spec.name); }
};

/// Scratch of one thread of a sweep.
template <class T>
struct ProductWorker {
  AlignedVector<T> inputs, adjoints, program, spill;
  std::vector<const T*> in;
  std::vector<T*> out;
};

/// The branch of an evaluation, as a sweep over pairs reads it.
template <class T>
struct ProductBranch {
  const T* b = nullptr;             ///< [function][products]
  std::size_t p = 0, products = 0;  ///< products of a field, of all fields
};

/// A sweep over some points of a term and all of its functions: products, program, and their
/// adjoints into t.dt, t.doffset and `db`. Sums over functions go in their order.
///   branch   of the functions of set_samples()
///   points   of the term; other threads have other ones
///   db       [function][products], added to; null: no adjoints
///   seeds    of the residuals, for ProductSweep::transposed
///   out      residuals, for ProductSweep::residuals
///   returns  the sum of the weighted squares, for ProductSweep::loss and gradient
template <class T>
double sweep_products(ProductTerm<T>& t, ProductWorker<T>& worker, const ProductBranch<T>& branch,
                      IndexRange points, ProductSweep sweep, T* db, std::span<const double> seeds,
                      std::span<double> out);

}  // namespace cauchy::detail
