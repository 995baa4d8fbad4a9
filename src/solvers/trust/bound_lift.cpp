#include "solvers/trust/bound_lift.hpp"

#include <algorithm>
#include <map>

#include <cauchy/expr/derivative.hpp>

#include "problem/point_evaluator.hpp"

namespace cauchy::detail {
namespace {

/// A share of the interpolation: for every axis of space whether it is projected to its lower (0)
/// or upper (1) end, or not (2).
std::vector<std::vector<int>> lift_shares(std::size_t d) {
  std::vector<std::vector<int>> all;
  std::size_t total = 1;
  for (std::size_t k = 0; k < d; ++k) total *= 3;
  for (std::size_t i = 0; i < total; ++i) {
    std::vector<int> ends(d);
    std::size_t rest = i;
    for (int& e : ends) {
      e = static_cast<int>(rest % 3);
      rest /= 3;
    }
    if (std::any_of(ends.begin(), ends.end(), [](int e) { return e < 2; })) all.push_back(ends);
  }
  return all;
}

}  // namespace

LiftedField::LiftedField(const BoundForm& form, std::shared_ptr<const FieldModel> inner)
    : NodalModel("lifted", form.problem), form_(form), inner_(std::move(inner)) {}

void LiftedField::derivatives(std::span<const Expr> atoms, std::span<const double> points,
                              std::span<double> out) const {
  inner_->evaluate(atoms, points, out);
  const std::vector<std::string> names = problem().coordinates();
  const std::vector<std::string>& space = form_.domain.space()->coordinates();
  const std::size_t D = names.size(), d = space.size(), first = form_.domain.space_column();
  const std::size_t n = points.size() / D, K = atoms.size();
  for (const std::vector<int>& ends : lift_shares(d)) {
    // Derivatives along the face that the atoms need, each once.
    std::vector<MultiIndex> along;
    std::vector<std::size_t> along_of(K);
    std::vector<std::vector<int>> across(K, std::vector<int>(d, 0));
    std::vector<char> needed(K, 1);
    for (std::size_t a = 0; a < K; ++a) {
      MultiIndex rest;
      for (const auto& [name, order] : atoms[a].index()) {
        const auto axis =
            static_cast<std::size_t>(std::find(space.begin(), space.end(), name) - space.begin());
        if (axis < d && ends[axis] < 2) {
          across[a][axis] = order;
          if (order > 1) needed[a] = 0;
        } else {
          rest.emplace_back(name, order);
        }
      }
      const auto found = std::find(along.begin(), along.end(), rest);
      along_of[a] = static_cast<std::size_t>(found - along.begin());
      if (found == along.end()) along.push_back(std::move(rest));
    }
    // Points of a tensor grid meet on the face: each is looked at once.
    Points face;
    face.columns = names;
    std::map<std::vector<double>, std::size_t> known;
    std::vector<std::size_t> place(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> row(points.begin() + static_cast<long>(i * D),
                              points.begin() + static_cast<long>((i + 1) * D));
      for (std::size_t k = 0; k < d; ++k) {
        if (ends[k] < 2) row[first + k] = ends[k] == 0 ? form_.box.lower[k] : form_.box.upper[k];
      }
      const auto [at, fresh] = known.emplace(row, known.size());
      place[i] = at->second;
      if (fresh) face.values.insert(face.values.end(), row.begin(), row.end());
    }
    const std::vector<int> given = given_at(form_, face);
    std::vector<Expr> own, data;
    for (const MultiIndex& index : along) {
      own.push_back(field_derivative(form_.field, index));
      for (const BoundForm::Given& g : form_.given) {
        Expr value = g.value;
        for (const auto& [name, order] : index) value = d_n(value, Coordinate(name), order);
        data.push_back(value);
      }
    }
    std::vector<double> answer(face.size() * own.size());
    inner_->evaluate(own, face.values, answer);
    const auto values = PointEvaluator(problem())(data, face);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t q = place[i];
      const auto g = static_cast<std::size_t>(std::max(0, given[q]));
      for (std::size_t a = 0; a < K; ++a) {
        if (!needed[a]) continue;
        double w = -1;
        for (std::size_t k = 0; k < d; ++k) {
          if (ends[k] == 2) continue;
          const double side = form_.side(k),
                       share = (points[i * D + first + k] - form_.box.lower[k]) / side;
          w = -w;
          if (across[a][k] == 0) {
            w *= ends[k] == 0 ? 1 - share : share;
          } else {
            w *= (ends[k] == 0 ? -1 : 1) / side;
          }
        }
        const double defect =
            answer[q * own.size() + along_of[a]] - values[along_of[a] * form_.given.size() + g][q];
        out[i * K + a] -= w * defect;
      }
    }
  }
}

Solution lifted(const BoundForm& form, const Solution& solution) {
  Solution made;
  made.problem = solution.problem;
  made.model = std::make_shared<LiftedField>(form, solution.model);
  return made;
}

}  // namespace cauchy::detail
