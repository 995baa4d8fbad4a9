#include <algorithm>
#include <cmath>
#include <utility>

#include <cauchy/base/options.hpp>

#include "optimizers/option_checks.hpp"
#include "optimizers/vector_ops.hpp"
#include "training/balancers/balancers.hpp"
#include "training/balancers/config.hpp"

namespace cauchy {

void visit_options(MomentumConfigBalancer& o, OptionVisitor& v) {
  v.number("beta1", o.beta1, NumberRange::below_one);
}

namespace detail {
namespace {

constexpr std::string_view momentum_place = "[training.balancer]";

/// Gradients of single terms by setting the weights of the others to 0, which costs one term only.
class OneTerm final {
 public:
  OneTerm(Executor& executor, std::size_t term) : executor_(executor) {
    for (std::size_t t = 0; t < executor.n_terms(); ++t) {
      weights_.push_back(executor.weight(t));
      if (t != term) executor.set_weight(t, 0);
    }
  }
  ~OneTerm() {
    for (std::size_t t = 0; t < weights_.size(); ++t) executor_.set_weight(t, weights_[t]);
  }
  OneTerm(const OneTerm&) = delete;
  OneTerm& operator=(const OneTerm&) = delete;

 private:
  Executor& executor_;
  std::vector<double> weights_;
};

/// m_i: momentum of term i after t_i of its gradients; M: that of Adam after t steps.
///   step   m_i <- beta1 m_i + (1 - beta1) g_i for the term whose turn it is
///          M_t = (1 - beta1^t) ConFIG(m_1 / (1 - beta1^t_1), ...)
/// Adam turns g = (M_t - beta1 M_{t-1}) / (1 - beta1) into M_t. The first step of a stage looks at
/// all terms at once, which is where steps of one term each, without a move, would lead.
class MomentumConfig final : public Balancer {
 public:
  explicit MomentumConfig(const MomentumConfigBalancer& options)
      : beta1_(options.beta1), shown_(std::make_shared<Shown>()) {
    require_fraction("beta1", beta1_, momentum_place);
  }

  bool update(TrainingLoss& loss, const TrainingStep& step) override {
    if (!step.first_order) {
      if (!std::exchange(active_, false)) return false;
      loss.combine({});
      return true;
    }
    const bool begins = !active_ || step.step_in_stage == 0;
    if (begins) {
      begin(loss, step.theta);
    } else {
      look(loss, step.theta);
    }
    advance(step.theta);
    return begins;
  }

  void save(TrainingState& state) const override {
    state.numbers["active"] = active_ ? 1 : 0;
    state.numbers["t"] = t_;
    state.numbers["turn"] = turn_;
    state.arrays["momenta"] = momenta_;
    state.arrays["looks"] = looks_;
    state.arrays["pseudo_momentum"] = pseudo_;
    state.arrays["losses"] = shown_->losses;
  }
  void restore(const TrainingState& state, TrainingLoss& loss) override {
    const auto array = [&](const char* name) {
      const std::span<const double> values = array_of(state, name, momentum_place);
      return std::vector<double>(values.begin(), values.end());
    };
    const bool active = number_of(state, "active", momentum_place) != 0;
    std::vector<double> momenta = array("momenta"), looks = array("looks"),
                        pseudo = array("pseudo_momentum"), losses = array("losses");
    const std::size_t m = loss.n_terms(), n = loss.size();
    const std::uint64_t turn = number_of(state, "turn", momentum_place);
    require_consistent(!active || (momenta.size() == m * n && looks.size() == m && turn < m &&
                                   pseudo.size() == n && losses.size() == m),
                       momentum_place);
    t_ = number_of(state, "t", momentum_place);
    turn_ = turn;
    momenta_ = std::move(momenta);
    looks_ = std::move(looks);
    pseudo_ = std::move(pseudo);
    shown_->losses = std::move(losses);
    active_ = active;
    if (active) show(loss);
  }

 private:
  /// What the optimiser sees at theta.
  struct Shown {
    std::vector<double> theta, direction, losses;
  };

  void begin(TrainingLoss& loss, std::span<const double> theta) {
    const std::size_t m = loss.n_terms(), n = theta.size();
    active_ = true;
    t_ = turn_ = 0;
    momenta_.assign(m * n, 0.0);
    pseudo_.assign(n, 0.0);
    looks_.assign(m, 1.0);
    gradient_.resize(n);
    (void)loss.executor().gradient(theta, gradient_, {.terms = momenta_});
    for (double& e : momenta_) e *= 1 - beta1_;
    shown_->losses.assign(loss.executor().last_terms().begin(), loss.executor().last_terms().end());
    show(loss);
  }

  /// The gradient of the term whose turn it is; terms that do not count are passed over.
  void look(TrainingLoss& loss, std::span<const double> theta) {
    Executor& executor = loss.executor();
    const std::size_t m = loss.n_terms(), n = theta.size();
    std::size_t term = turn_;
    for (std::size_t i = 1; i < m && !(executor.weight(term) > 0); ++i) term = (term + 1) % m;
    turn_ = (term + 1) % m;
    gradient_.resize(n);
    const OneTerm alone(executor, term);
    (void)executor.gradient(theta, gradient_);
    shown_->losses[term] = executor.last_terms()[term];
    looks_[term] += 1;
    double* momentum = momenta_.data() + term * n;
    for (std::size_t p = 0; p < n; ++p) {
      momentum[p] = beta1_ * momentum[p] + (1 - beta1_) * gradient_[p];
    }
  }

  void advance(std::span<const double> theta) {
    const std::size_t n = theta.size();
    std::vector<double> corrected = momenta_;
    for (std::size_t t = 0; t < looks_.size(); ++t) {
      const double correction = 1 / (1 - std::pow(beta1_, looks_[t]));
      for (std::size_t p = 0; p < n; ++p) corrected[t * n + p] *= correction;
    }
    shown_->theta.assign(theta.begin(), theta.end());
    shown_->direction.resize(n);
    config_direction(corrected, n, shown_->direction);
    const double grown = 1 - std::pow(beta1_, static_cast<double>(++t_));
    for (std::size_t p = 0; p < n; ++p) {
      const double momentum = grown * shown_->direction[p];
      shown_->direction[p] = (momentum - beta1_ * pseudo_[p]) / (1 - beta1_);
      pseudo_[p] = momentum;
    }
  }

  void show(TrainingLoss& loss) {
    loss.combine([&executor = loss.executor(), shown = shown_](
                     std::span<const double> x, std::span<double> g, std::span<double> parts) {
      if (!std::ranges::equal(x, shown->theta)) {  // not the point of the step: plain
        const double value = executor.gradient(x, g);
        std::ranges::copy(executor.last_terms(), parts.begin());
        return value;
      }
      std::ranges::copy(shown->direction, g.begin());
      std::ranges::copy(shown->losses, parts.begin());
      double sum = 0;
      for (const double part : parts) sum += part;
      return sum;
    });
  }

  double beta1_;
  bool active_ = false;
  std::uint64_t t_ = 0, turn_ = 0;
  std::vector<double> momenta_, looks_, pseudo_;  // m_i row by row, t_i, M
  std::vector<double> gradient_;
  std::shared_ptr<Shown> shown_;
};

}  // namespace

std::unique_ptr<Balancer> make_momentum_config(const MomentumConfigBalancer& options) {
  return std::make_unique<MomentumConfig>(options);
}

}  // namespace detail
}  // namespace cauchy
