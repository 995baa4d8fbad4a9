#include "solvers/pinn/window_guide.hpp"

#include <algorithm>
#include <cmath>

namespace cauchy::detail {

void WindowGuide::plan(Window& window, std::span<const WindowField::Part> before, bool fixed) {
  std::vector<double> known(system_->first_state().size());
  for (const WindowField::Part& part : before) {
    const std::vector<double>& start = start_of(part.window);
    for (std::size_t i = 0; i < known.size(); ++i) {
      known[i] = std::max(known[i], std::abs(start[i]));
    }
  }
  outlook_ = system_->look_ahead(window.begin, start_of(window), window.end, known, fixed);
  window.end = std::min(window.end, outlook_.end);
  for (const OdeSystem::Chain& c : system_->system().chains()) {
    window.sizes[c.field] = outlook_.changes[c.first];
  }
}

double WindowGuide::error_of(const Window& window, const FieldModel& field) const {
  const auto error = system_->error_of(field, window.begin, window.end, start_of(window));
  double worst = 0;
  for (std::size_t i = 0; i < error.largest.size(); ++i) {
    const double relative = error.largest[i] / outlook_.sizes[i];
    if (std::isnan(relative)) return relative;
    worst = std::max(worst, relative);
  }
  return worst;
}

void WindowGuide::correct(const WindowField::Part& part, std::span<double> state) const {
  const Window& window = part.window;
  const std::vector<double>& start = start_of(window);
  const auto error = system_->error_of(*part.field, window.begin, window.end, start);
  for (std::size_t i = 0; i < state.size(); ++i) {
    const double size = std::max(std::abs(state[i]), std::abs(start[i]));
    if (std::abs(error.at_end[i]) <= 0.1 * size) state[i] -= error.at_end[i];
  }
}

}  // namespace cauchy::detail
