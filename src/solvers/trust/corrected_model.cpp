#include "solvers/trust/corrected_model.hpp"

#include <algorithm>

#include <cauchy/base/error.hpp>

#include "solvers/model_checkpoint.hpp"
#include "solvers/trust/answer_program.hpp"

namespace cauchy::detail {

void CorrectedModel::save(Checkpoint& checkpoint) const {
  put_model(checkpoint, "base", *base_);
  put_model(checkpoint, "correction", *correction_);
  checkpoint.arrays["factor"] = Array::list({factor_});
}

std::shared_ptr<const FieldModel> load_corrected(
    const Checkpoint& c, std::shared_ptr<const Problem> problem,
    const std::function<std::shared_ptr<const FieldModel>(const std::string& kind,
                                                          const Checkpoint& own)>& load) {
  const std::vector<double>& factor = c.array("factor").values;
  if (factor.size() != 1) throw Error(ErrorKind::file, "'factor' is no number");
  return std::make_shared<CorrectedModel>(
      std::move(problem), load(c.text("base"), model_in(c, "base")),
      load(c.text("correction"), model_in(c, "correction")), factor[0]);
}

void CorrectedModel::evaluate(std::span<const Expr> expressions, std::span<const double> points,
                              std::span<double> out) const {
  std::vector<Expr> lowered;
  for (const Expr& e : expressions) lowered.push_back(lower_(e));
  const bool plain = std::all_of(lowered.begin(), lowered.end(),
                                 [](const Expr& e) { return e.kind() == Kind::field; });
  if (!plain)
    return AnswerProgram(*problem_, std::move(lowered)).run(*this, *problem_, points, out);
  std::vector<double> more(out.size());
  base_->evaluate(lowered, points, out);
  correction_->evaluate(lowered, points, more);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = factor_ * out[i] + more[i];
}

}  // namespace cauchy::detail
