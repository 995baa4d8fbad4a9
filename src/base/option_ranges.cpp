#include "base/option_ranges.hpp"

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

class RangeCheck final : public OptionVisitor {
 public:
  explicit RangeCheck(std::string_view place) : place_(place) {}

  void number(std::string_view key, double& value, NumberRange range) override {
    if (in_range(value, range)) return;
    throw Error(fmt::format("{} must be {}, got {}", key, described(range), value), place_);
  }
  void flag(std::string_view, bool&) override {}
  void numbers(std::string_view key, std::vector<double>& values, NumberRange range) override {
    for (double& value : values) number(key, value, range);
  }
  void text(std::string_view, std::string&) override {}
  void equations(std::string_view, std::vector<std::string>&) override {}
  void seed(std::string_view, std::uint64_t&) override {}

 protected:
  void whole(std::string_view key, std::uint64_t& value, std::uint64_t least,
             std::uint64_t most) override {
    if (value >= least && value <= most) return;
    throw Error(value < least ? fmt::format("{} must be at least {}, got {}", key, least, value)
                              : fmt::format("{} must be at most {}, got {}", key, most, value),
                place_);
  }
  std::optional<std::size_t> choose(std::string_view, const Choice&) override {
    return std::nullopt;
  }
  void visit_section(std::string_view, const Part& part, SectionStyle) override {
    part.visit(*this);
  }
  void visit_list(std::string_view, std::size_t size, Resize, Item item) override {
    for (std::size_t i = 0; i < size; ++i) item(i, [&](const Part& part) { part.visit(*this); });
  }

 private:
  std::string_view place_;
};

}  // namespace

void check_ranges(const OptionVisitor::Part& options, std::string_view place) {
  RangeCheck check(place);
  options.visit(check);
}

}  // namespace cauchy::detail
