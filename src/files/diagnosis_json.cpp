#include "files/diagnosis_json.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace cauchy::detail {
namespace {

using DiagnosisJson = nlohmann::ordered_json;

DiagnosisJson entry_json(const DiagnosisEntry& e, LearningPhase phase) {
  return {{"step", e.step},
          {"phase", to_string(phase)},
          {"snr", std::isinf(e.snr) ? DiagnosisJson("infinite") : DiagnosisJson(e.snr)},
          {"batch_cosine", e.batch_cosine},
          {"residuals", e.residuals},
          {"fresh_residuals", e.fresh},
          {"gradient_norms", e.gradients},
          {"cosines", e.cosines},
          {"kernel_traces", e.traces},
          {"kernel_conditions", e.conditions},
          {"kernel_drift", e.drift},
          {"input_bits", e.input_bits},
          {"output_bits", e.output_bits},
          {"nominal_seconds", e.cost}};
}

}  // namespace

std::string diagnosis_json(const TrainingDiagnosis& d) {
  DiagnosisJson findings = DiagnosisJson::array(), entries = findings, spectra = findings,
                balances = findings;
  for (const DiagnosisFinding& f : d.findings) {
    findings.push_back({{"text", f.text}, {"severity", f.severity}});
  }
  const std::vector<LearningPhase> phases = learning_phases(d.entries);
  for (std::size_t i = 0; i < d.entries.size(); ++i) {
    entries.push_back(entry_json(d.entries[i], phases[i]));
  }
  for (const KernelSpectrum& s : d.spectra) {
    spectra.push_back(
        {{"term", s.term}, {"first", s.first}, {"last", s.last}, {"residual_shares", s.shares}});
  }
  for (const BalanceHistory& b : d.balances) {
    balances.push_back({{"quantity", b.quantity},
                        {"defect", b.defect},
                        {"times", b.times},
                        {"total", b.total},
                        {"rate", b.rate},
                        {"outflow", b.outflow},
                        {"source", b.source}});
  }
  const DiagnosisJson all = {{"findings", findings},
                             {"nominal_seconds", d.seconds},
                             {"share", d.share},
                             {"steps", d.steps},
                             {"terms", d.terms},
                             {"layers", d.layers},
                             {"batches", d.batches},
                             {"binning", d.binning},
                             {"half_waves", d.half_waves},
                             {"entries", entries},
                             {"spectra", spectra},
                             {"balances", balances},
                             {"landscape", {{"n", d.landscape.n}, {"loss", d.landscape.values}}}};
  return all.dump(-1, ' ', false, DiagnosisJson::error_handler_t::replace) + "\n";
}

}  // namespace cauchy::detail
