// Groups of the points of a term: checks, sums, and what they mean for a single point.
#include <algorithm>
#include <cmath>

#include <cauchy/base/error.hpp>

#include "engine/group_sums.hpp"
#include "engine/term_form.hpp"
#include "engine/term_state.hpp"

namespace cauchy::detail {

template <class T>
void TermState<T>::check_groups(const Groups& given, std::size_t n) const {
  const auto require = [&](bool good, const char* message) {
    if (!good) throw Error(message, place());
  };
  const auto finite = [](double v) { return std::isfinite(v); };
  require(given.size() > 0, "there are no groups");
  require(given.offsets.front() == 0 &&
              std::is_sorted(given.offsets.begin(), given.offsets.end()) &&
              given.offsets.back() == given.points.size(),
          "the offsets of the groups must rise from 0 to the number of their points");
  require(given.points.size() == given.weights.size(),
          "every point of a group needs one factor in Groups::weights");
  require(std::all_of(given.points.begin(), given.points.end(), [&](auto p) { return p < n; }),
          "a group holds a point that the term does not have");
  require(given.targets.empty() || given.targets.size() == given.size() * n_residuals(),
          "the targets of the groups must be one per group and residual, or none");
  require(std::all_of(given.weights.begin(), given.weights.end(), finite) &&
              std::all_of(given.targets.begin(), given.targets.end(), finite),
          "factors and targets of groups must be finite");
}

/// What the programs of the loss read. An energy is sum_p (sum_g w_g q_gp) r(p), less its targets.
template <class T>
void TermState<T>::make_point_weights() {
  divisor = static_cast<double>(n_groups());
  offset = 0;
  if (!has_groups) {
    for (std::size_t p = 0; p < n_points; ++p) weights[p] = static_cast<T>(given_weights[p]);
  } else if (!two_passes()) {
    std::vector<double> sum(n_points, 0.0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t i = groups.offsets[g]; i < groups.offsets[g + 1]; ++i) {
        sum[groups.points[i]] += given_weights[g] * groups.weights[i];
      }
      for (std::size_t k = 0; k < n_residuals() && !groups.targets.empty(); ++k) {
        offset += given_weights[g] * groups.targets[g * n_residuals() + k];
      }
    }
    for (std::size_t p = 0; p < n_points; ++p) weights[p] = static_cast<T>(sum[p]);
  }
}

template <class T>
void TermState<T>::list_members() {
  member_offsets.assign(n_points + 1, 0);
  members.resize(groups.points.size());
  values.resize(n_points * n_residuals());
  sums.resize(groups.size() * n_residuals());
  for (const std::size_t p : groups.points) ++member_offsets[p + 1];
  for (std::size_t p = 0; p < n_points; ++p) member_offsets[p + 1] += member_offsets[p];
  std::vector<std::size_t> next(member_offsets.begin(), member_offsets.end() - 1);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t i = groups.offsets[g]; i < groups.offsets[g + 1]; ++i) {
      members[next[groups.points[i]]++] = {g, groups.weights[i]};
    }
  }
}

template <class T>
void TermState<T>::sum_groups(IndexRange some) {
  group_sums(groups, some, n_residuals(), true, values, sums);
}

template <class T>
double TermState<T>::loss_of_groups() const {
  const std::size_t K = n_residuals();
  double total = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    total += spec.weight / divisor * given_weights[i / K] * form_value(spec, sums[i]);
  }
  return total;
}

template <class T>
double TermState<T>::seed(std::size_t point, std::size_t k) const {
  const std::size_t K = n_residuals();
  double total = 0;
  for (std::size_t i = member_offsets[point]; i < member_offsets[point + 1]; ++i) {
    const auto& [g, q] = members[i];
    total += spec.weight / divisor * given_weights[g] * form_slope(spec, sums[g * K + k]) * q;
  }
  return total;
}

template void TermState<float>::check_groups(const Groups&, std::size_t) const;
template void TermState<float>::make_point_weights();
template void TermState<float>::list_members();
template void TermState<float>::sum_groups(IndexRange);
template double TermState<float>::loss_of_groups() const;
template double TermState<float>::seed(std::size_t, std::size_t) const;
template void TermState<double>::check_groups(const Groups&, std::size_t) const;
template void TermState<double>::make_point_weights();
template void TermState<double>::list_members();
template void TermState<double>::sum_groups(IndexRange);
template double TermState<double>::loss_of_groups() const;
template double TermState<double>::seed(std::size_t, std::size_t) const;

}  // namespace cauchy::detail
