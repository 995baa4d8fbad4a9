#pragma once

#include <optional>
#include <string>

#include "solvers/pinn/pinn_terms.hpp"

namespace cauchy::detail {

/// The tokens of a Pinnsformer whose loss is sequential: fields of their own, token j at the time
/// t + j step.
class Sequence final {
 public:
  Sequence(std::size_t tokens, std::string time, double step)
      : tokens_(tokens), time_(std::move(time)), step_(step) {}

  [[nodiscard]] std::size_t size() const noexcept { return tokens_; }
  /// The field of a token: "u#t2" for the third one.
  [[nodiscard]] static std::string field(const std::string& name, std::size_t token);
  /// An expression at the time of a token, with its fields.
  [[nodiscard]] Expr at(const Expr& e, std::size_t token) const;

 private:
  std::size_t tokens_;
  std::string time_;
  double step_;
};

/// None unless the network is a sequential Pinnsformer of several tokens.
///   error    throws Error where tokens have no times: a problem without time, an input that is not
///            the time or is wound up, pieces of a domain
[[nodiscard]] std::optional<Sequence> sequence_of(const Problem& problem, const Pinn& method,
                                                  const Sizes& sizes);

/// The loss in which equations and conditions on the boundary hold for all tokens in the mean:
///   1 / (k N) sum_i sum_j |r(x_i, t_i + j step)|^2,   r with the fields of token j
/// Initial conditions, points, integrals and observations are those of the first token. Without a
/// sequence the loss as it is.
///   error    throws Error (unsupported) for tables in such an equation
[[nodiscard]] PinnLoss with_tokens(PinnLoss loss, const std::optional<Sequence>& sequence);

}  // namespace cauchy::detail
