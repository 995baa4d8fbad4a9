// The answer of a map as frames of fields.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/problem/place.hpp>

#include "operators/physics_place.hpp"
#include "problem/lowering.hpp"

namespace cauchy::detail {
namespace {

/// The grid with the names that the coordinates of the problem have.
FieldGrid named_grid(const FieldGrid& grid, const Problem& problem) {
  if (!problem.domain || problem.domain->space() == nullptr || grid.is_cloud() ||
      problem.domain->space()->dimension() != grid.axes.size()) {
    throw Error(ErrorKind::unsupported, "physics needs a problem on the box of the grid",
                "[train.physics]", "leave its weight at 0");
  }
  FieldGrid made = grid;
  const std::vector<std::string>& names = problem.domain->space()->coordinates();
  for (std::size_t k = 0; k < names.size(); ++k) made.axes[k].name = names[k];
  return made;
}

/// Times of the channels of one field; empty when they have none.
std::vector<double> frame_times(const Channels& c, const std::string& field) {
  std::vector<double> times;
  for (const std::string& name : c.outputs) {
    const auto frame = frame_in(name);
    if (frame && frame->field == field) times.push_back(frame->time);
  }
  return times;
}

int slice_or_all(TensorGraph& g, int value, int begin, int channels) {
  return g.shape(value).channels == channels ? value : g.slice(value, begin, channels);
}

/// Every `step`-th channel from `first` on, n of them.
int every(TensorGraph& g, int value, std::size_t first, std::size_t step, std::size_t n) {
  std::vector<int> parts;
  for (std::size_t k = 0; k < n; ++k) {
    parts.push_back(slice_or_all(g, value, static_cast<int>(first + k * step), 1));
  }
  return parts.size() == 1 ? parts[0] : g.concatenate(parts);
}

/// Puts the initial values of the fields before their frames, where conditions give them.
void prepend_initial(TensorGraph& g, PhysicsPlace& place, GridDerivative derivative) {
  const Problem& problem = place.problem.problem;
  const Time* time = problem.domain->time();
  const double span = time->upper - time->lower;
  if (!(place.times.front() > time->lower + 1e-9 * span)) return;
  const Lowering lower(problem);
  PhysicsPlace begin{.problem = place.problem, .space = place.space};
  begin.time = place.time;
  begin.in = place.in;
  begin.inputs = place.inputs;
  PhysicsValues values(g, begin, derivative);
  bool some = false;
  for (const Condition& c : problem.condition) {
    if (c.kind != Condition::Kind::general) continue;
    const ConditionPlace where = place_of(problem, c);
    const auto form = dirichlet_form(c.form);
    if (where.kind != ConditionPlace::Kind::slice || where.time != time->lower || !form) continue;
    for (PhysicsField& f : place.fields) {
      if (f.name != form->field || f.given >= 0) continue;
      f.given = values(std::vector<Expr>{lower(form->value)});
      some = true;
    }
  }
  if (!some) return;
  place.given = 1;
  place.times.insert(place.times.begin(), time->lower);
}

}  // namespace

PhysicsPlace physics_place(TensorGraph& g, const FieldMap& map, const OperatorProblem& problem,
                           const FieldGrid& space, GridDerivative derivative, int in,
                           const MapAnswer& answer, const std::vector<double>& times) {
  const Channels& c = map.channels;
  PhysicsPlace place{.problem = problem, .space = named_grid(space, problem.problem)};
  place.in = in;
  if (const Time* time = problem.problem.domain->time()) place.time = time->name;
  const std::size_t F = c.fields.size();
  if (c.kind == Channels::Kind::roll_out) {
    const auto steps = static_cast<std::size_t>(g.shape(answer.value).channels) / F;
    place.inputs.assign(c.history * F, "");
    for (const std::size_t i : c.fixed) place.inputs.push_back(c.inputs[i]);
    place.moves = true;
    place.given = c.history;
    for (std::size_t k = 0; k < c.history + steps; ++k) {
      place.times.push_back(c.begin + static_cast<double>(k) * c.step);
    }
    for (std::size_t f = 0; f < F; ++f) {
      PhysicsField field{.name = c.fields[f], .answer = every(g, answer.value, f, F, steps)};
      field.given = every(g, in, f, F, c.history);
      place.fields.push_back(std::move(field));
    }
    return place;
  }
  place.inputs = c.inputs;
  const bool axis = c.kind == Channels::Kind::axis;
  place.times = axis ? times : frame_times(c, c.fields[0]);
  int first = 0;
  for (std::size_t f = 0; f < F; ++f) {
    const std::size_t frames = axis ? times.size() : frame_times(c, c.fields[f]).size();
    const int n = static_cast<int>(std::max<std::size_t>(1, frames));
    PhysicsField field{.name = c.fields[f]};
    field.answer = slice_or_all(g, answer.value, first, n);
    field.exact_in_time = axis;
    if (answer.derivative) {
      const int begin = axis ? static_cast<int>(f) : first, channels = axis ? 1 : n;
      field.exact = [&g, derivative = answer.derivative, begin, channels](const MultiIndex& index) {
        return slice_or_all(g, derivative(index), begin, channels);
      };
    }
    place.fields.push_back(std::move(field));
    first += n;
  }
  const bool exact_in_time = axis && answer.derivative;
  if (!place.times.empty() && !exact_in_time) prepend_initial(g, place, derivative);
  return place;
}

}  // namespace cauchy::detail
