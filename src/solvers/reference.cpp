#include <cauchy/solvers/reference.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/solvers/method.hpp>

#include "problem/fingerprint.hpp"
#include "solvers/classical/contradiction.hpp"

namespace cauchy {
namespace {

/// To be raised when a method changes what it finds: older files are then not read.
constexpr int cache_version = 2;
constexpr double reference_tolerance = 1e-2;

/// FNV-1a, 64 bits: names the file; the whole text is compared as well.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t h = 14695981039346656037ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h;
}

ReferenceCode code_of(const Solution& s) {
  ReferenceCode code;
  code.fields = s.problem.fields;
  code.description = s.method;
  code.error = s.estimate->judged();
  std::vector<Expr> fields;
  for (const std::string& f : code.fields) fields.emplace_back(Field(f));
  code.evaluate = [model = s.model, fields](std::span<const double> points,
                                            std::span<double> values) {
    model->evaluate(fields, points, values);
  };
  return code;
}

/// Whether nobody else can have written a file: it belongs to this user, and only they may write
/// it.
bool is_own(const std::filesystem::path& file) {
  struct ::stat s {};
  return ::lstat(file.c_str(), &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == ::geteuid() &&
         (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// A file that is missing, damaged, of another problem or of another user is as good as none, and
/// so is one whose answer does not pass the checks that it passed when it was found.
std::optional<Solution> cached(const std::filesystem::path& file, const Problem& problem,
                               const RunInputs& inputs, double accepted, int threads) {
  if (file.empty() || !is_own(file)) return std::nullopt;
  try {
    Solution s = load_solution(file, problem, AutoClassical{}, threads, inputs);
    if (!s.estimate || !(s.estimate->relative_l2 <= accepted)) return std::nullopt;
    s.checks = check_terms(s);
    if (detail::contradiction_of(s).empty()) return s;
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::memory) throw;
  }
  return std::nullopt;
}

/// A cache that cannot be written is no reason to lose an answer.
void keep(const std::filesystem::path& file, const Solution& s, const RunInputs& inputs) {
  if (file.empty()) return;
  std::error_code none;
  std::filesystem::create_directories(file.parent_path(), none);
  try {
    save_solution(file, s, inputs);
    using std::filesystem::perms;
    std::filesystem::permissions(file, perms::group_write | perms::others_write,
                                 std::filesystem::perm_options::remove, none);
  } catch (const Error&) {
  }
}

}  // namespace

FoundReference find_reference(const Problem& given, const ReferenceOptions& options) {
  Problem problem = given;
  problem.reference = {};
  check(problem);
  if (const std::vector<std::string> warnings = facts(problem).warnings; !warnings.empty()) {
    return {.reason = warnings[0]};
  }
  const double asked = problem.tolerance.value_or(reference_tolerance);
  const double accepted = 0.5 * asked;
  const double tolerance = options.tolerance > 0 ? options.tolerance : asked / 30;
  const std::string text = fmt::format("version {}, tolerance {}\n{}\n{}", cache_version, tolerance,
                                       problem.name, detail::fingerprint(problem));
  const RunInputs inputs = {{"problem", text}};
  const std::filesystem::path file =
      options.cache.empty() ? options.cache
                            : options.cache / fmt::format("reference-{:016x}.bin", hash_of(text));
  if (const std::optional<Solution> known =
          cached(file, problem, inputs, accepted, options.threads)) {
    return {code_of(*known), {}, true};
  }
  PreparedMethod::Answer answer;
  try {
    const auto prepared = prepare(problem, AutoClassical{.tolerance = tolerance}, options.threads);
    require_fit(prepared->cost());
    answer =
        prepared->run({.threads = options.threads, .limit = options.limit.with_work(options.work)});
  } catch (const Error& e) {  // of a mesh, of a function: a run without reference is a run
    return {.reason = e.message()};
  }
  Solution& s = answer.solution;
  s.problem = problem;
  if (!answer.outcome.finite || !answer.outcome.troubles.empty()) {
    return {.reason = answer.outcome.troubles.empty() ? s.method + " found no finite answer"
                                                      : answer.outcome.troubles[0]};
  }
  if (!s.estimate || !(s.estimate->judged() <= accepted)) {
    return {.reason = s.estimate ? fmt::format("{} has an estimate of {:.0e} only", s.method,
                                               s.estimate->judged())
                                 : fmt::format("the error of {} is not known", s.method)};
  }
  try {
    s.checks = check_terms(s);
    if (std::string why = detail::contradiction_of(s); !why.empty()) {
      return {.reason = std::move(why)};
    }
  } catch (const Error& e) {
    return {.reason = "the reference could not be checked: " + e.message()};
  }
  // What a limit in seconds has cut short is not for those who have more time.
  if (!options.limit.seconds_decided()) keep(file, s, inputs);
  return {code_of(s), {}, false};
}

}  // namespace cauchy
