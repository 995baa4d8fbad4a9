#include <cauchy/problem/training_diagnosis.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>

namespace cauchy {
namespace {

constexpr std::size_t numbers_per_entry = 5;  // besides lists

std::size_t entry_width(std::size_t terms, std::size_t layers) {
  return numbers_per_entry + 5 * terms + terms * terms + 2 * layers;
}

[[noreturn]] void damaged_diagnosis() {
  throw Error(ErrorKind::file, "the diagnosis is damaged", "[problem.diagnosis]",
              "solve the problem again");
}

std::vector<std::string> diagnosis_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Cuts a row of numbers into lists, in order.
class RowReader {
 public:
  explicit RowReader(const double* at) : at_(at) {}
  double one() { return *at_++; }
  std::vector<double> list(std::size_t n) {
    at_ += n;
    return {at_ - n, at_};
  }

 private:
  const double* at_;
};

}  // namespace

std::string_view to_string(LearningPhase phase) noexcept {
  switch (phase) {
    case LearningPhase::fitting:
      return "fitting";
    case LearningPhase::diffusion:
      return "diffusion";
    case LearningPhase::total_diffusion:
      return "total diffusion";
  }
  return "unknown";
}

std::vector<LearningPhase> learning_phases(const std::vector<DiagnosisEntry>& all) {
  constexpr double fitted = 1, risen = 2;
  std::vector<LearningPhase> phases(all.size(), LearningPhase::fitting);
  // First-order steps swing across valleys: one odd measurement decides nothing.
  std::vector<double> snr(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double before = all[i > 0 ? i - 1 : i].snr, now = all[i].snr;
    const double after = all[std::min(i + 1, all.size() - 1)].snr;
    snr[i] = std::max(std::min(before, now), std::min(std::max(before, now), after));
  }
  std::size_t first = 0;
  while (first < all.size() && !(snr[first] < fitted)) ++first;
  if (first == all.size()) return phases;
  double lowest = snr[first];
  for (std::size_t i = first; i < all.size(); ++i) lowest = std::min(lowest, snr[i]);
  std::size_t rise = all.size();  // from here on it stays high
  while (rise > first && snr[rise - 1] > risen * lowest) --rise;
  // Only behind the lowest one: before it the ratio is still falling.
  const auto low = std::find(snr.begin() + static_cast<std::ptrdiff_t>(first), snr.end(), lowest);
  rise = std::max(rise, static_cast<std::size_t>(low - snr.begin()) + 1);
  for (std::size_t i = first; i < all.size(); ++i) {
    phases[i] = i < rise ? LearningPhase::diffusion : LearningPhase::total_diffusion;
  }
  return phases;
}

void save_diagnosis(Checkpoint& c, const TrainingDiagnosis& d) {
  const std::size_t T = d.terms.size(), L = d.layers.size();
  c.texts["diagnosis/terms"] = fmt::format("{}", fmt::join(d.terms, "\n"));
  c.texts["diagnosis/layers"] = fmt::format("{}", fmt::join(d.layers, "\n"));
  c.texts["diagnosis/balancer"] = d.balancer;
  c.texts["diagnosis/binning"] = d.binning;
  c.arrays["diagnosis/conditions"] =
      Array::list(std::vector<double>(d.conditions.begin(), d.conditions.end()));
  c.arrays["diagnosis/numbers"] =
      Array::list({static_cast<double>(d.batches), d.half_waves, d.first_order ? 1.0 : 0.0,
                   d.seconds, d.share, static_cast<double>(d.landscape.n)});
  c.numbers["diagnosis/steps"] = d.steps;
  Array entries{{d.entries.size(), entry_width(T, L)}, {}};
  for (const DiagnosisEntry& e : d.entries) {
    std::vector<double>& v = entries.values;
    v.insert(v.end(), {static_cast<double>(e.step), e.cost, e.snr, e.batch_cosine, e.drift});
    for (const auto* list : {&e.residuals, &e.gradients, &e.traces, &e.conditions}) {
      v.insert(v.end(), list->begin(), list->end());
    }
    v.insert(v.end(), e.fresh.begin(), e.fresh.end());
    v.insert(v.end(), e.cosines.begin(), e.cosines.end());
    v.insert(v.end(), e.input_bits.begin(), e.input_bits.end());
    v.insert(v.end(), e.output_bits.begin(), e.output_bits.end());
  }
  c.arrays["diagnosis/entries"] = std::move(entries);
  c.arrays["diagnosis/landscape"] = Array::list(d.landscape.values);
  for (std::size_t i = 0; i < d.spectra.size(); ++i) {
    const std::string name = fmt::format("diagnosis/spectrum/{:04}/", i);
    c.texts[name + "term"] = d.spectra[i].term;
    c.arrays[name + "first"] = Array::list(d.spectra[i].first);
    c.arrays[name + "last"] = Array::list(d.spectra[i].last);
    c.arrays[name + "shares"] = Array::list(d.spectra[i].shares);
  }
  for (std::size_t i = 0; i < d.balances.size(); ++i) {
    const std::string name = fmt::format("diagnosis/balance/{:04}", i);
    const BalanceHistory& b = d.balances[i];
    Array rows{{5, b.times.size()}, {}};
    for (const auto* list : {&b.times, &b.total, &b.rate, &b.outflow, &b.source}) {
      rows.values.insert(rows.values.end(), list->begin(), list->end());
    }
    c.texts[name] = b.quantity;
    c.arrays[name] = std::move(rows);
    c.arrays[name + "/defect"] = Array::list({b.defect});
  }
  std::vector<double> severities;
  std::string findings;
  for (const DiagnosisFinding& f : d.findings) {
    severities.push_back(f.severity);
    findings += f.text + "\n";
  }
  c.texts["diagnosis/findings"] = findings;
  c.arrays["diagnosis/severities"] = Array::list(severities);
}

std::shared_ptr<const TrainingDiagnosis> load_diagnosis(const Checkpoint& c) {
  if (!c.texts.contains("diagnosis/terms")) return nullptr;
  auto d = std::make_shared<TrainingDiagnosis>();
  d->terms = diagnosis_lines(c.text("diagnosis/terms"));
  d->layers = diagnosis_lines(c.text("diagnosis/layers"));
  d->balancer = c.text("diagnosis/balancer");
  d->binning = c.text("diagnosis/binning");
  for (const double v : c.array("diagnosis/conditions").values) d->conditions.push_back(v != 0);
  const std::vector<double>& numbers = c.array("diagnosis/numbers").values;
  const std::vector<double>& entries = c.array("diagnosis/entries").values;
  const std::size_t T = d->terms.size(), L = d->layers.size(), width = entry_width(T, L);
  if (numbers.size() != 6 || d->conditions.size() != T || entries.size() % width != 0 ||
      !(numbers[0] >= 0 && numbers[0] < 1e9) || !(numbers[5] >= 0 && numbers[5] < 1e4)) {
    damaged_diagnosis();
  }
  d->batches = static_cast<std::size_t>(numbers[0]);
  d->half_waves = numbers[1];
  d->steps = c.number("diagnosis/steps");
  d->first_order = numbers[2] != 0;
  d->seconds = numbers[3];
  d->share = numbers[4];
  d->landscape = {static_cast<std::size_t>(numbers[5]), c.array("diagnosis/landscape").values};
  if (d->landscape.values.size() != d->landscape.n * d->landscape.n) damaged_diagnosis();
  for (std::size_t at = 0; at < entries.size(); at += width) {
    RowReader row(&entries[at]);
    DiagnosisEntry e;
    const double step = row.one();
    if (!(step >= 0 && step < 1e15)) damaged_diagnosis();
    e.step = static_cast<std::uint64_t>(step);
    for (double* to : {&e.cost, &e.snr, &e.batch_cosine, &e.drift}) *to = row.one();
    for (auto* list : {&e.residuals, &e.gradients, &e.traces, &e.conditions, &e.fresh}) {
      *list = row.list(T);
    }
    e.cosines = row.list(T * T);
    e.input_bits = row.list(L);
    e.output_bits = row.list(L);
    d->entries.push_back(std::move(e));
  }
  for (std::size_t i = 0; c.texts.contains(fmt::format("diagnosis/spectrum/{:04}/term", i)); ++i) {
    const std::string name = fmt::format("diagnosis/spectrum/{:04}/", i);
    d->spectra.push_back({c.text(name + "term"), c.array(name + "first").values,
                          c.array(name + "last").values, c.array(name + "shares").values});
    if (d->spectra.back().shares.size() != d->spectra.back().last.size()) damaged_diagnosis();
  }
  for (std::size_t i = 0; c.texts.contains(fmt::format("diagnosis/balance/{:04}", i)); ++i) {
    const std::string name = fmt::format("diagnosis/balance/{:04}", i);
    const std::vector<double>&rows = c.array(name).values,
          &defect = c.array(name + "/defect").values;
    if (rows.size() % 5 != 0 || defect.size() != 1) damaged_diagnosis();
    BalanceHistory b{.quantity = c.text(name), .defect = defect[0]};
    const std::size_t n = rows.size() / 5;
    RowReader row(rows.data());
    for (auto* list : {&b.times, &b.total, &b.rate, &b.outflow, &b.source}) *list = row.list(n);
    d->balances.push_back(std::move(b));
  }
  const std::vector<std::string> findings = diagnosis_lines(c.text("diagnosis/findings"));
  const std::vector<double>& severities = c.array("diagnosis/severities").values;
  if (findings.size() != severities.size()) damaged_diagnosis();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    d->findings.push_back({findings[i], severities[i]});
  }
  return d;
}

}  // namespace cauchy
