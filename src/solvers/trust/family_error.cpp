#include <cauchy/solvers/family_error.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/rng.hpp>

#include "solvers/classical/family_field.hpp"

namespace cauchy {
namespace {

constexpr const char* family_place = "[solvers.family_error]";
constexpr std::size_t most_corner_ranges = 3;

/// A field of a family at fixed values of its ranges, which are its last coordinates.
class MemberField final : public FieldModel {
 public:
  MemberField(std::shared_ptr<const FieldModel> family, std::vector<double> values,
              std::size_t coordinates)
      : family_(std::move(family)), values_(std::move(values)), coordinates_(coordinates) {}
  [[nodiscard]] std::string_view kind() const noexcept override { return family_->kind(); }
  void save(Checkpoint& checkpoint) const override { family_->save(checkpoint); }
  void evaluate(std::span<const Expr> expressions, std::span<const double> points,
                std::span<double> out) const override {
    std::vector<double> rows;
    rows.reserve(points.size() / coordinates_ * (coordinates_ + values_.size()));
    for (std::size_t i = 0; i < points.size(); i += coordinates_) {
      rows.insert(rows.end(), points.begin() + static_cast<std::ptrdiff_t>(i),
                  points.begin() + static_cast<std::ptrdiff_t>(i + coordinates_));
      rows.insert(rows.end(), values_.begin(), values_.end());
    }
    family_->evaluate(expressions, rows, out);
  }

 private:
  std::shared_ptr<const FieldModel> family_;
  std::vector<double> values_;
  std::size_t coordinates_;
};

/// Corners, the middle, then random ones.
std::vector<std::vector<double>> members_of(const std::vector<Range>& ranges, std::size_t n) {
  const std::size_t R = ranges.size();
  std::vector<std::vector<double>> all;
  const auto add = [&](auto&& share) {
    std::vector<double> values(R);
    for (std::size_t r = 0; r < R; ++r) {
      const double s = share(r);
      values[r] =
          s == 1 ? ranges[r].upper : ranges[r].lower + s * (ranges[r].upper - ranges[r].lower);
    }
    if (all.size() < n) all.push_back(std::move(values));
  };
  if (R <= most_corner_ranges) {
    for (std::size_t corner = 0; corner < (std::size_t{1} << R); ++corner) {
      add([&](std::size_t r) { return static_cast<double>(corner >> r & 1); });
    }
  } else {
    add([](std::size_t) { return 0.0; });
    add([](std::size_t) { return 1.0; });
  }
  add([](std::size_t) { return 0.5; });
  Rng rng(20190814);
  while (all.size() < n) add([&](std::size_t) { return rng.uniform(); });
  return all;
}

}  // namespace

Solution member_answer(const Solution& family, std::span<const double> values) {
  const std::size_t R = family.problem.domain ? family.problem.domain->ranges().size() : 0;
  if (values.size() != R || R == 0) {
    throw Error(fmt::format("the problem has {} ranges, but there are {} values", R, values.size()),
                family_place);
  }
  Solution member;
  member.problem = detail::member_of(family.problem, values);
  member.method = family.method;
  member.unknowns = family.unknowns;
  member.model =
      std::make_shared<MemberField>(family.model, std::vector<double>(values.begin(), values.end()),
                                    family.problem.coordinates().size() - R);
  return member;
}

FamilyError family_error(const Solution& solution, const MemberEstimate& estimate, std::size_t n) {
  if (!solution.problem.domain || solution.problem.domain->ranges().empty()) {
    throw Error("the problem has no range of a parameter", family_place,
                "estimate its error alone");
  }
  const std::vector<Range>& ranges = solution.problem.domain->ranges();
  FamilyError made;
  double squares = 0;
  for (const std::vector<double>& values : members_of(ranges, std::max<std::size_t>(1, n))) {
    FamilyMember member{values};
    member.estimate = estimate(member_answer(solution, values));
    if (member.estimate) {
      const double error = member.estimate->relative_l2;
      // NaN is worse than every number.
      if (made.estimated == 0 || (!std::isnan(made.worst_l2) && !(error <= made.worst_l2))) {
        made.worst_l2 = error;
        made.worst = made.members.size();
      }
      squares += error * error;
      ++made.estimated;
    }
    made.members.push_back(std::move(member));
  }
  made.how = fmt::format("{} of {} members of the family", made.estimated, made.members.size());
  if (made.estimated == 0) return made;
  made.mean_l2 = std::sqrt(squares / static_cast<double>(made.estimated));
  const FamilyMember& worst = made.members[made.worst];
  made.how += ", worst at ";
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    made.how += fmt::format("{}{} = {:.4g}", r == 0 ? "" : ", ", ranges[r].name, worst.values[r]);
  }
  if (!worst.estimate->how.empty()) made.how += ": " + worst.estimate->how;
  return made;
}

std::optional<ErrorEstimate> FamilyError::estimate() const {
  if (estimated == 0) return std::nullopt;
  ErrorEstimate made;
  made.relative_l2 = worst_l2;
  made.unsure = members[worst].estimate->unsure;
  made.how = how;
  return made;
}

}  // namespace cauchy
