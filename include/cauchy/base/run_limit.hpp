#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include <cauchy/base/progress.hpp>

namespace cauchy {

/// When a computation is to end: somebody asks for it, the seconds that a user has set are over, or
/// the counted work that a plan gives to this part of it is done. A limit that is part of another
/// one ends with it. Copies are one limit.
///   decisions   without seconds from a user, the same on every machine and under every load
///   threads     work is that of the thread on which the limit began; elsewhere, and inside of
///               parallel loops begun later, only the other two are looked at
class RunLimit final {
 public:
  enum class End : std::uint8_t { none, asked, seconds, work };
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  /// Never ends.
  RunLimit() = default;
  /// Begins now.
  ///   max_seconds  of the clock; 0 or infinite: no limit
  ///   progress     may ask to stop; may be null
  [[nodiscard]] static RunLimit of_run(double max_seconds, Progress* progress,
                                       const RunLimit& whole = {});
  /// A part of this one that ends after so many nominal seconds of counted work, too.
  [[nodiscard]] RunLimit with_work(double nominal_seconds) const;
  /// A part of this one with a share of what is left of seconds and of work.
  [[nodiscard]] RunLimit share(double part) const;

  [[nodiscard]] End end() const;
  [[nodiscard]] bool reached() const { return end() != End::none; }
  /// Whether something that takes so many nominal seconds may begin.
  [[nodiscard]] bool fits(double nominal_seconds) const;
  /// What is left, in nominal seconds; infinite without a limit.
  [[nodiscard]] double left() const;

  /// Seconds of the clock since it began, and that are left; for showing, and for limits of parts.
  [[nodiscard]] double seconds() const;
  [[nodiscard]] double seconds_left() const;
  /// Shows where a part of it stands, with its time and its limit.
  void show(ProgressState state) const;
  /// Nominal seconds counted since it began.
  [[nodiscard]] double work() const;
  /// A user has set seconds, for this or for the whole.
  [[nodiscard]] bool timed() const;
  /// The smallest seconds that were set, 0 without; a share of them counts as the whole.
  [[nodiscard]] double max_seconds() const;
  /// Seconds that a user has set have decided something; the answer must say so.
  [[nodiscard]] bool seconds_decided() const;
  /// For who decides by seconds_left().
  void mark_seconds_decided() const;

 private:
  struct State;
  explicit RunLimit(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;  // null: no limit
};

/// Makes a limit that of everything that this thread does meanwhile, deep down where no options
/// reach: long loops ask for it by ask_limit().
class LimitScope final {
 public:
  explicit LimitScope(RunLimit limit);
  ~LimitScope();
  LimitScope(const LimitScope&) = delete;
  LimitScope& operator=(const LimitScope&) = delete;

 private:
  RunLimit limit_;
  const RunLimit* outer_;
};

/// The limit of this thread; one that never ends without a LimitScope.
[[nodiscard]] const RunLimit& limit_of_thread();
/// Ends what is being done when the limit of this thread is reached.
///   error   throws Error (ErrorKind::interrupted) then; `what` names it: "the mesh"
void ask_limit(std::string_view what);
/// The same before something that cannot be interrupted: throws when it does not fit.
void ask_limit(std::string_view what, double nominal_seconds);

/// In a loop: counts its work, and asks for the limit of the thread once in a while.
class LoopLimit final {
 public:
  /// `what` as in ask_limit; it must outlive the loop.
  explicit LoopLimit(std::string_view what) : what_(what) {}
  /// One round, which has put so many numbers in place (WorkKind::pieces).
  void next(double pieces);

 private:
  std::string_view what_;
  double counted_ = 0;
};

/// What people are told of an answer that seconds decided about, "the limit of 2 s decided ..."; 0:
/// the limit of a part.
[[nodiscard]] std::string seconds_decided_text(double max_seconds);

}  // namespace cauchy
