#include <cauchy/geometry/domain.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

void check_ends(const std::string& name, double lower, double upper) {
  if (!(lower < upper) || !std::isfinite(lower) || !std::isfinite(upper)) {
    throw Error(fmt::format("'{}' goes from {} to {}", name, lower, upper), "[geometry.domain]",
                "the lower end must be below the upper one, both finite");
  }
}

}  // namespace

Time::Time(const Coordinate& t, double lower_end, double upper_end)
    : name(t.name()), lower(lower_end), upper(upper_end) {
  check_ends(name, lower, upper);
}

Range::Range(const Parameter& parameter, double lower_end, double upper_end)
    : name(parameter.name()), lower(lower_end), upper(upper_end) {
  check_ends(name, lower, upper);
}

Domain::Domain(const Region& space) : space_(space) {}
Domain::Domain(const Time& time) : time_(time) {}

std::vector<std::string> Domain::columns() const {
  std::vector<std::string> names;
  if (time_) names.push_back(time_->name);
  if (space_) {
    names.insert(names.end(), space_->coordinates().begin(), space_->coordinates().end());
  }
  for (const Range& r : ranges_) names.push_back(r.name);
  return names;
}

std::size_t Domain::dimension() const {
  return space_column() + (space_ ? space_->dimension() : 0) + ranges_.size();
}

Domain Domain::with(const ParameterValues& values) const {
  Domain result = *this;
  for (const auto& [name, value] : values) result.values_[name] = value;
  return result;
}

bool Domain::shape_varies() const {
  if (!space_) return false;
  const auto& inside = space_->parameters();
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& r) {
    return std::find(inside.begin(), inside.end(), r.name) != inside.end();
  });
}

ShapePtr Domain::shape(std::span<const double> range_values) const {
  if (!space_) {
    throw Error("this domain has time but no space", "[geometry.domain]");
  }
  if (space_->parameters().empty()) return space_->shape();
  ParameterValues values = values_;
  if (!range_values.empty() && range_values.size() != ranges_.size()) {
    throw Error(fmt::format("{} values for {} ranges", range_values.size(), ranges_.size()),
                "[geometry.domain]");
  }
  for (std::size_t i = 0; i < range_values.size(); ++i) values[ranges_[i].name] = range_values[i];
  return space_->shape(values);
}

Domain operator*(const Domain& a, const Domain& b) {
  if (a.time_ && b.time_) {
    throw Error(
        fmt::format("a domain has one time, got '{}' and '{}'", a.time_->name, b.time_->name),
        "[geometry.domain]");
  }
  if (a.space_ && b.space_) {
    throw Error(ErrorKind::unsupported, "the product of two regions is not supported",
                "[geometry.domain]", "use box, or cylinder for a disk times an interval");
  }
  Domain result = a;
  if (b.space_) result.space_ = b.space_;
  if (b.time_) result.time_ = b.time_;
  result.ranges_.insert(result.ranges_.end(), b.ranges_.begin(), b.ranges_.end());
  for (const auto& [name, value] : b.values_) result.values_[name] = value;
  std::vector<std::string> names = result.columns();
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    throw Error(fmt::format("'{}' occurs twice in a product", *twice), "[geometry.domain]",
                "give every coordinate a name of its own");
  }
  return result;
}

Domain operator*(const Domain& a, const Range& b) {
  Domain ranges;
  ranges.ranges_.push_back(b);
  return a * ranges;
}

Domain operator*(const Range& a, const Domain& b) {
  Domain ranges;
  ranges.ranges_.push_back(a);
  return ranges * b;
}

}  // namespace cauchy
