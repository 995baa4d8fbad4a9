#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <cauchy/base/compiled_once.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/problem/run_options.hpp>
#include <cauchy/problem/solution.hpp>
#include <cauchy/solvers/auto_classical.hpp>
#include <cauchy/solvers/fdm.hpp>
#include <cauchy/solvers/fem.hpp>
#include <cauchy/solvers/fvm.hpp>
#include <cauchy/solvers/kansa.hpp>
#include <cauchy/solvers/ode.hpp>
#include <cauchy/solvers/pinn.hpp>
#include <cauchy/solvers/recipes.hpp>
#include <cauchy/solvers/spectral.hpp>
#include <cauchy/solvers/variational.hpp>

namespace cauchy {

class OptionVisitor;

/// What a training will need.
///   flops    6 x parameters x components x points, summed over the terms of the loss
///   work     mean over the stages: 1.1 gradients per step, and what dense quasi-Newton (memory
///            traffic), least-squares methods (factorisations in parameter or sample space, or
///            matrix-free products) and SOAP (bases of the weights) add
struct TrainingCost {
  struct OfTerm {
    std::string name;
    std::size_t points = 0;
    int components = 1;  ///< derivatives that travel through the network together
  };
  std::vector<OfTerm> terms;
  std::size_t points = 0;     ///< of all terms
  std::vector<Stage> stages;  ///< of the method, or the default ones
  std::uint64_t steps = 0;
  double flops_per_step = 0;
  Work work_per_step = {};
  Work search = {};  ///< of random features that are tried first; a part of MethodCost::work
};

/// What a run will need, found without running it. Plans compare its work in nominal seconds, the
/// same on every machine; people are shown seconds of theirs.
///   work     as it will be counted: of a training all of it; of a classical method its first
///   level,
///            finer ones follow until the tolerance is met
///   bytes    of a training: network values of one block per thread, points, parameters, and what
///            the hungriest optimiser keeps
struct MethodCost {
  std::string method;        ///< for people: "pinn, 20 x 5 tanh, 1761 parameters"
  std::size_t unknowns = 0;  ///< numbers that the method has to find
  Work work = {};
  double bytes = 0;
  std::string less = "make it smaller";  ///< how to need less memory: "use fewer points"
  int threads = 1;
  std::optional<TrainingCost> training = {};  ///< of a method that trains

  /// Of the work on its threads, for plans.
  [[nodiscard]] double nominal() const noexcept { return nominal_seconds(work, threads); }
};

/// One level of a classical method that refines: what was foreseen before it began, and what it
/// took.
struct LevelCost {
  std::string method;  ///< for people
  Work foreseen = {}, counted = {};
  double seconds = 0;
  bool interrupted = false;  ///< a limit came before its end
};

/// A problem and a method, put together once: what it costs, and the run.
class PreparedMethod {
 public:
  explicit PreparedMethod(std::shared_ptr<const Problem> problem) : problem_(std::move(problem)) {}
  virtual ~PreparedMethod() = default;
  [[nodiscard]] const Problem& problem() const noexcept { return *problem_; }
  [[nodiscard]] virtual MethodCost cost() const = 0;
  /// What this method cannot do with this problem although it runs; each caps the grade.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  /// What people should know of the way it goes, one sentence each.
  [[nodiscard]] virtual std::vector<std::string> remarks() const { return {}; }
  /// The levels of the last run of a method that refines, one after the other.
  [[nodiscard]] virtual std::vector<LevelCost> levels() const { return {}; }
  /// What a recipe stands for; none for a method that is no recipe.
  [[nodiscard]] virtual std::optional<Expanded> expanded() const { return std::nullopt; }
  /// An answer without error and grade, and what the grade must know; solve() adds these.
  struct Answer {
    Solution solution;
    GradeInput outcome = {};
    /// Relative error that a classical method knows of without a second grid: steps of time, modes
    /// that are missing. A part of the whole, which Solution::estimate is about.
    double known_error = 0;
  };
  [[nodiscard]] virtual Answer run(const RunOptions& options) = 0;

 private:
  std::shared_ptr<const Problem> problem_;
};

/// Settings that all methods that train share.
struct TrainingSettings {
  std::vector<Stage>& stages;
  std::uint64_t& seed;
  Precision& precision;
};

/// A method that is not of this library.
class MethodPlugin {
 public:
  virtual ~MethodPlugin() = default;
  /// For people: "random features".
  [[nodiscard]] virtual std::string describe() const = 0;
  /// Throws Error for what it cannot treat, with the reason.
  [[nodiscard]] virtual std::unique_ptr<PreparedMethod> prepare(
      std::shared_ptr<const Problem> problem, int threads) const = 0;
  /// A field that FieldModel::save has written.
  [[nodiscard]] virtual std::shared_ptr<const FieldModel> load(const Checkpoint& checkpoint,
                                                               const Problem& problem,
                                                               int threads) const = 0;
};
struct CustomMethod {
  std::shared_ptr<const MethodPlugin> plugin;
};

/// Any method, chosen by the type of its settings: Pinn{.seed = 2}.
struct Method : std::variant<Pinn, Auto, Expert, Ritz, Vpinn, HpVpinn, Fdm, Fem, Spectral, Fvm,
                             Kansa, Ode, AutoClassical, CustomMethod> {
  using variant::variant;
  CAUCHY_COMPILED_ONCE(Method)
};

/// A name that users write, and what stands behind it.
struct MethodEntry {
  std::string_view name;
  std::string_view description;  ///< one phrase
  Method options;                ///< the defaults
  std::unique_ptr<PreparedMethod> (*prepare)(std::shared_ptr<const Problem>, const Method&,
                                             int threads);
  std::shared_ptr<const FieldModel> (*load)(const Checkpoint&, const Problem&, const Method&,
                                            int threads);
  TrainingSettings (*training)(Method&);  ///< null: a method that does not train
};
/// The methods that files can name; a CustomMethod is not among them.
[[nodiscard]] const std::vector<MethodEntry>& all_methods();
/// The method of a problem that names none: the default recipe.
[[nodiscard]] Method default_method(const Problem& problem);
/// What a recipe stands for with this problem; none for a method that is no recipe.
[[nodiscard]] std::optional<Expanded> expand(const Method& method, const Problem& problem);
[[nodiscard]] bool is_recipe(const Method& method) noexcept;
/// "pinn", or what a plug-in says of itself.
[[nodiscard]] std::string name_of(const Method& method);

/// `kind` and every key of [method].
void visit_options(Method& method, OptionVisitor& visitor);

/// The network of a method with its training: a Pinn itself, the trial functions of a variational
/// network; null for all others.
[[nodiscard]] Pinn* trial_of(Method& method) noexcept;
/// The settings of the training of a method; none where it does not train.
[[nodiscard]] std::optional<TrainingSettings> training_settings(Method& method);
/// Stages in place of those of a method that trains; what said how long the stages take that a
/// recipe chooses (Auto::seconds, Expert::steps) goes with them.
void replace_stages(Method& method, std::vector<Stage> stages);

/// Checks the problem and builds what the method needs, but draws no training points: a few
/// milliseconds. The problem is copied.
///   threads  0: as RunOptions::threads
///   error    throws Error for what the method cannot treat, with the reason, and for bad settings
[[nodiscard]] std::unique_ptr<PreparedMethod> prepare(const Problem& problem, const Method& method,
                                                      int threads = 0);
[[nodiscard]] MethodCost estimate_cost(const Problem& problem, const Method& method,
                                       int threads = 0);

/// What speaks against an answer before there is one: of the problem (ProblemFacts::warnings) and
/// of the method.
[[nodiscard]] std::vector<std::string> warnings_of(const PreparedMethod& prepared);

/// Throws Error (ErrorKind::memory) when a run of this cost needs more memory than is free. To be
/// called before anything is written; solve() calls it too.
void require_fit(const MethodCost& cost);

/// Solves a problem, measures the error and grades the answer.
///   error    as prepare() and require_fit(), and when an error is asked for without a reference;
///            Error (ErrorKind::memory) too when the memory ends on the way
[[nodiscard]] Solution solve(const Problem& problem, const Method& method,
                             const RunOptions& options = {});
/// The same with the default recipe.
[[nodiscard]] Solution solve(const Problem& problem);
/// The same for what has been prepared, once.
[[nodiscard]] Solution solve(PreparedMethod& prepared, const RunOptions& options = {});

/// Whether fields of this kind are made by a method that does not train: "fdm".
[[nodiscard]] bool is_classical(std::string_view kind) noexcept;
/// A field of this kind from what FieldModel::save wrote.
///   error    throws Error when the method makes fields of another kind, or they do not fit
[[nodiscard]] std::shared_ptr<const FieldModel> load_model(std::string_view kind,
                                                           const Checkpoint& checkpoint,
                                                           const Problem& problem,
                                                           const Method& method, int threads = 0);
/// Writes what is needed to use the answer again: the field, grade, findings, training record.
///   inputs   files that the answer was made of, for load_solution
void save_solution(const std::filesystem::path& file, const Solution& solution,
                   const RunInputs& inputs = {});
/// The answer of an earlier run of this problem and method.
///   inputs   must be those that were saved with it; empty: not compared
///   error    throws Error when the file is not one, is damaged, or belongs to another problem or
///            other inputs
[[nodiscard]] Solution load_solution(const std::filesystem::path& file, const Problem& problem,
                                     const Method& method, int threads = 0,
                                     const RunInputs& inputs = {});

}  // namespace cauchy
