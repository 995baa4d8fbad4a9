#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

#include "training/curricula/curricula.hpp"

namespace cauchy::detail {
namespace {

class TermsInTurn final : public Curriculum {
 public:
  explicit TermsInTurn(std::vector<bool> first) : first_(std::move(first)) {}

  bool begin_stage(std::size_t stage, TrainingLoss& loss, TrainingPoints&) override {
    for (std::size_t i = 0; i < first_.size(); ++i) {
      loss.weigh(i, first_[i] || stage > 0 ? 1 : 0, WeightLayer::curriculum);
    }
    return stage <= 1;
  }
  void save(TrainingState&) const override {}
  void restore(const TrainingState&) override {}

 private:
  std::vector<bool> first_;  // terms of the first stage
};

/// "a, b" as names without the blanks around them.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string name = text.substr(begin, end - begin);
    name.erase(0, std::min(name.find_first_not_of(" \t"), name.size()));
    name.erase(name.find_last_not_of(" \t") + 1);
    if (!name.empty()) names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

}  // namespace

std::unique_ptr<Curriculum> make_loss_curriculum(const LossCurriculum& options,
                                                 const TrainingPoints& points,
                                                 std::size_t /*stages*/) {
  std::vector<std::string> terms;
  for (std::size_t i = 0; i < points.size(); ++i) terms.push_back(points.source(i).name);
  std::vector<bool> first;
  const std::vector<std::string> names = names_in(options.first);
  for (const std::string& name : names) {
    if (std::ranges::find(terms, name) != terms.end()) continue;
    const std::string near = nearest_name(name, terms);
    throw Error(fmt::format("the loss has no term '{}'", name), curriculum_place,
                near.empty() ? fmt::format("terms are: {}", fmt::join(terms, ", "))
                             : fmt::format("did you mean '{}'?", near));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    first.push_back(names.empty() ? points.source(i).kind != PointSource::Kind::equation
                                  : std::ranges::find(names, terms[i]) != names.end());
  }
  const auto count = std::ranges::count(first, true);
  if (count == 0 || count == std::ssize(first)) {
    throw Error(count == 0 ? "the loss has no conditions or observations that could come first"
                           : "all terms of the loss come first, and nothing is left for later",
                curriculum_place,
                fmt::format("name some of its terms in `first`: {}", fmt::join(terms, ", ")));
  }
  return std::make_unique<TermsInTurn>(std::move(first));
}

}  // namespace cauchy::detail
