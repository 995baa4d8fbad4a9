#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <cauchy/base/aligned.hpp>
#include <cauchy/engine/backend.hpp>
#include <cauchy/engine/executor.hpp>
#include <cauchy/engine/residual_form.hpp>

#include "engine/plan_cache.hpp"
#include "engine/term_inputs.hpp"

namespace cauchy::detail {

/// The programs of a term as expressions, written down once.
struct TermPrograms;

/// Everything that one term of an Executor keeps between evaluations.
///
/// Program inputs are, in order: all coordinates, the point data, the rows of the form, and then
/// one weight row (losses) or one seed row per residual (reverse). Program parameters are the
/// unknown constants, followed by the scale of the term in the loss.
template <class T>
struct TermState {
  Term spec;
  ResidualForm form;
  std::shared_ptr<const Graph> graph;
  std::vector<std::string> warnings;
  std::size_t block = 0;

  PreparedPlan<T>* prepared = nullptr;  ///< for `block` points; owned by the plan cache
  PreparedPlan<T>* few = nullptr;       ///< the same for few points, for per-point gradients

  Program<T> loss_gradient;  ///< outputs: adjoints of the rows; sums: loss, adjoints of constants
  Program<T> loss_value;     ///< sums: loss
  Program<T> residual;       ///< outputs: residuals
  Program<T> reverse;        ///< outputs: adjoints of coordinates, data, rows; sums: of constants
  Program<T> slopes;         ///< outputs: d(residual k)/d(constant j), k-major

  std::size_t n_points = 0, n_padded = 0;
  AlignedVector<T> points;   ///< coordinates, then point data, n_padded each; padded by the last
  AlignedVector<T> weights;  ///< of points in the loss, n_padded; zero in the padding
  double divisor = 1;        ///< weight / divisor is the scale of the programs of the loss
  double offset = 0;         ///< what targets take from the sum of an energy
  std::size_t n_chunks = 0, first_slot = 0;
  double* residuals_out = nullptr;  ///< where the current pass puts residuals; null: nowhere

  bool has_groups = false;
  Groups groups;
  std::vector<double> given_weights;  ///< one per group

  // Squares of groups only. The groups of point p are members[i], i from member_offsets[p].
  struct Member {
    std::size_t group;
    double weight;
  };
  std::vector<std::size_t> member_offsets;
  std::vector<Member> members;
  std::vector<double> values, sums;  ///< residuals, point-major; S_gk, group-major

  TermInputs<T> inputs;  ///< rows that come from outside the network

  TermState(Term term, std::shared_ptr<const Graph> network, const ExecutorOptions& options);

  [[nodiscard]] const Plan<T>& plan() const { return prepared->plan; }
  [[nodiscard]] std::size_t n_coordinates() const { return graph->coordinate_names().size(); }
  [[nodiscard]] std::size_t n_point_rows() const { return n_coordinates() + spec.data.size(); }
  [[nodiscard]] std::size_t n_rows() const { return form.rows.size(); }
  [[nodiscard]] std::size_t n_residuals() const { return form.residuals.size(); }
  [[nodiscard]] std::size_t n_groups() const { return has_groups ? groups.size() : n_points; }
  /// The adjoint of a square or power needs the sum of its group first. An energy is linear in its
  /// residuals and therefore a sum over points.
  [[nodiscard]] bool two_passes() const { return has_groups && spec.form != TermForm::identity; }
  [[nodiscard]] std::size_t program_workspace() const;

  /// "term 'name'", for errors.
  [[nodiscard]] std::string place() const;

  /// Takes plans for this block size; before any points.
  void set_block(std::size_t points_per_block, PlanCache<T>& plans);
  /// Copies all of it; throws Error, and changes nothing, when it does not fit the term.
  void set_points(const TermPoints& given);
  void set_weights(std::span<const double> given);

  /// The weighted loss from the sum that its programs make over all points.
  [[nodiscard]] double loss_of(double sum) const { return spec.weight * (sum - offset) / divisor; }
  /// Two passes: the sums of some groups from `values`; then the loss, and the adjoint of a
  /// residual.
  void sum_groups(IndexRange some);
  [[nodiscard]] double loss_of_groups() const;
  [[nodiscard]] double seed(std::size_t point, std::size_t k) const;

 private:
  TermState(Term term, ResidualForm lowered, std::shared_ptr<const Graph> network);
  TermState(Term term, ResidualForm lowered, std::shared_ptr<const Graph> network,
            const TermPrograms& programs);

  void check_points(const TermPoints& given) const;
  void check_groups(const Groups& given, std::size_t n) const;
  void check_weights(std::span<const double> given, std::size_t n, bool grouped) const;
  void make_point_weights();
  void list_members();
};

/// Points per block: as many as keep the arena of a plan within nominal_cache_bytes.
template <class T>
std::size_t choose_block(const ResidualForm& form, PlanCache<T>& plans);

extern template struct TermState<float>;
extern template struct TermState<double>;

}  // namespace cauchy::detail
