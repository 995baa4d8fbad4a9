#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/solvers/recipes.hpp>

#include "solvers/pinn/prepared_pinn.hpp"
#include "solvers/recipes/prepared_recipes.hpp"

namespace cauchy {
namespace {

void visit_precision(Precision& precision, OptionVisitor& v) {
  Words<Precision> words;
  for (const Precision p : all_precisions()) words.emplace_back(to_string(p), p);
  v.word("precision", precision, words);
}

}  // namespace

namespace detail {

void check_recipe(const Auto& m) {
  if (m.stages.empty() || !(m.seconds > 0)) return;
  throw Error("'seconds' is the time of the stages that are chosen, and 'stage' gives others",
              "[method]", "leave one of them out");
}

void check_recipe(const Expert& m) {
  if (m.stages.empty() || m.steps == Expert{}.steps) return;
  throw Error("'steps' is the length of the stage that is chosen, and 'stage' gives others",
              "[method]", "leave one of them out");
}

}  // namespace detail

void visit_options(Auto& m, OptionVisitor& v) {
  v.seed("seed", m.seed);
  visit_precision(m.precision, v);
  v.number("seconds", m.seconds, NumberRange::not_negative);
  v.list("stage", m.stages);
  v.check([&] { detail::check_recipe(m); });
}

void visit_options(Expert& m, OptionVisitor& v) {
  v.seed("seed", m.seed);
  visit_precision(m.precision, v);
  v.count("width", m.width, 1);
  v.count("depth", m.depth, 1, Mlp::max_depth);
  v.count("steps", m.steps, 1);
  v.list("stage", m.stages);
  v.check([&] { detail::check_recipe(m); });
}

std::optional<Expanded> expand(const Method& method, const Problem& problem) {
  if (const auto* recipe = std::get_if<Auto>(&method)) return expand(*recipe, problem);
  if (const auto* recipe = std::get_if<Expert>(&method)) return expand(*recipe, problem);
  return std::nullopt;
}

bool is_recipe(const Method& method) noexcept {
  return std::holds_alternative<Auto>(method) || std::holds_alternative<Expert>(method);
}

namespace detail {

std::unique_ptr<PreparedMethod> prepare_recipe(std::shared_ptr<const Problem> problem,
                                               const Method& method, int threads) {
  Expanded made = *expand(method, *problem);
  return prepare_pinn(std::move(problem), std::move(made), threads);
}

std::shared_ptr<const FieldModel> load_recipe(const Checkpoint& checkpoint, const Problem& problem,
                                              const Method& method, int threads) {
  return load_pinn(checkpoint, problem, expand(method, problem)->pinn, threads);
}

TrainingSettings auto_training(Method& method) {
  Auto& recipe = std::get<Auto>(method);
  return {recipe.stages, recipe.seed, recipe.precision};
}

TrainingSettings expert_training(Method& method) {
  Expert& recipe = std::get<Expert>(method);
  return {recipe.stages, recipe.seed, recipe.precision};
}

}  // namespace detail
}  // namespace cauchy
