#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cauchy/dynamics/ode_layer.hpp>
#include <cauchy/expr/program.hpp>

#include "dynamics/block_field.hpp"

namespace cauchy::detail {

/// Trajectories with events: pieces of smooth flow, one round of an OdeLayer for all trajectories
/// after the other. Signs are looked at several times between two wanted times; an event is found
/// there by Newton's method inside of its bracket.
///   gradient   with y' = F before and after, g = 0 at the event, y+ = R(y-), adjoints a of y+ and
///   l
///              of the time of the event (that of later states included, -a F(y+)):
///                mu = (R_y' a . F + l) / (g_t + g_y . F),  adjoint of y(t_e) = R_y' a - mu g_y
class EventFlow final {
 public:
  EventFlow(VectorFieldSpec spec, FlowOptions options, std::shared_ptr<Threads> pool);

  void set_times(const std::vector<std::vector<double>>& times);
  [[nodiscard]] const std::vector<std::vector<FlowEvent>>& events() const noexcept {
    return events_;
  }
  /// As those of OdeLayer; event_seeds: derivatives by the times of events(), trajectory after
  /// trajectory; empty: 0.
  FlowReport run(std::span<const double> theta, std::span<const double> starts,
                 std::span<double> values);
  void pull(std::span<const double> seeds, std::span<const double> event_seeds,
            std::span<double> gradient, std::span<double> start_gradient);

 private:
  /// One piece of a trajectory.
  struct Piece {
    std::size_t trajectory;
    std::size_t first, count;   ///< wanted times behind its start
    bool start_wanted = false;  ///< its start is the wanted time before them
    int event = -1;             ///< that it ends in
    double end = 0;             ///< time of that
    double low = 0, high = 0;   ///< between which it lies
    int side = 0;               ///< sign before it
  };
  struct Round {
    std::unique_ptr<OdeLayer> layer;
    std::vector<Piece> pieces;
    std::vector<double> starts, values;
  };
  /// Where a trajectory is.
  struct Place {
    double t;
    std::vector<double> y;
    std::size_t next;   ///< wanted time
    int happened = -1;  ///< event that it comes from
  };
  /// Derivatives of an event at a state, by Program.
  struct Rule {
    std::unique_ptr<Program<double>> when;   ///< g, g_t, g_y, g_c
    std::unique_ptr<Program<double>> after;  ///< y+, its derivatives by t, y and c
  };

  [[nodiscard]] std::size_t n() const noexcept { return spec_.states.size(); }
  [[nodiscard]] std::vector<double> evaluate(const Program<double>& program, double t,
                                             std::span<const double> y);
  [[nodiscard]] std::vector<double> slope(double t, std::span<const double> y);
  /// Sign of an event at a state; where it has just happened, of its change.
  [[nodiscard]] int sign_of(std::size_t event, double t, std::span<const double> y, bool happened);
  /// Looks for the next event of every place; pieces up to it, or to the end.
  FlowReport look(const std::vector<std::size_t>& active, std::vector<Piece>& pieces);
  FlowReport find_ends(Round& round);
  [[nodiscard]] std::vector<double> times_of(const Piece& piece) const;
  void write_values(const Round& round, std::span<double> values) const;
  void pass_events(const Round& round);

  VectorFieldSpec spec_, smooth_;
  FlowOptions options_;
  std::shared_ptr<Threads> pool_;
  std::vector<std::vector<double>> times_;
  std::vector<std::size_t> offsets_;
  std::vector<Rule> rules_;
  std::vector<double> theta_, constants_, workspace_;
  std::unique_ptr<BlockField> field_;
  BlockField::Lane lane_;
  std::vector<Place> places_;
  std::vector<Round> rounds_;
  std::vector<std::vector<FlowEvent>> events_;
};

}  // namespace cauchy::detail
