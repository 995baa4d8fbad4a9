#include "solvers/kansa/rbf_field.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

namespace cauchy::detail {
namespace {

constexpr std::string_view kansa_place = "[solvers.kansa]";

}  // namespace

std::vector<double> UnitFrame::scaled(std::span<const double> rows) const {
  const std::size_t d = middle.size();
  std::vector<double> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = (rows[i] - middle[i % d]) / half[i % d];
  return out;
}

double UnitFrame::factor(std::span<const int> orders) const {
  double product = 1;
  for (std::size_t j = 0; j < orders.size(); ++j) product /= std::pow(half[j], orders[j]);
  return product;
}

UnitFrame unit_frame(const Domain& domain) {
  UnitFrame frame;
  if (const Time* time = domain.time()) {
    frame.middle.push_back((time->lower + time->upper) / 2);
    frame.half.push_back((time->upper - time->lower) / 2);
  }
  if (domain.space() == nullptr) return frame;
  const Bounds box = domain.shape()->bounds();
  double longest = 0;
  for (std::size_t j = 0; j < box.lower.size(); ++j) {
    longest = std::max(longest, box.upper[j] - box.lower[j]);
  }
  for (std::size_t j = 0; j < box.lower.size(); ++j) {
    frame.middle.push_back((box.lower[j] + box.upper[j]) / 2);
    frame.half.push_back(longest / 2);
  }
  return frame;
}

std::vector<int> orders_of(const Expr& atom, std::span<const std::string> names) {
  std::vector<int> orders(names.size(), 0);
  for (const auto& [name, order] : atom.index()) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) orders[static_cast<std::size_t>(at - names.begin())] = order;
  }
  return orders;
}

RbfField::RbfField(std::shared_ptr<const Problem> problem, UnitFrame frame, RbfBasis basis,
                   std::vector<std::string> fields, std::vector<std::vector<double>> coefficients)
    : NodalModel("kansa", std::move(problem)),
      frame_(std::move(frame)),
      basis_(std::move(basis)),
      fields_(std::move(fields)),
      coefficients_(std::move(coefficients)) {
  const std::size_t d = this->problem().coordinates().size();
  const bool units = std::all_of(frame_.half.begin(), frame_.half.end(),
                                 [](double h) { return h > 0 && std::isfinite(h); });
  bool fit = frame_.middle.size() == d && frame_.half.size() == d && units &&
             basis_.dimension() == d && coefficients_.size() == fields_.size();
  for (const auto& c : coefficients_) fit = fit && c.size() == basis_.size();
  if (!fit) throw Error("centres, fields and coefficients do not fit together", kansa_place);
}

void RbfField::derivatives(std::span<const Expr> atoms, std::span<const double> points,
                           std::span<double> out) const {
  const std::vector<std::string> names = problem().coordinates();
  const std::size_t n = points.size() / names.size(), K = atoms.size();
  std::vector<std::vector<int>> orders;
  std::vector<std::span<const double>> of_atom;
  for (const Expr& atom : atoms) {
    const auto field = std::find(fields_.begin(), fields_.end(), atom.name());
    if (field == fields_.end()) {
      throw Error(ErrorKind::not_found, fmt::format("there is no field '{}'", atom.name()),
                  kansa_place);
    }
    of_atom.emplace_back(coefficients_[static_cast<std::size_t>(field - fields_.begin())]);
    orders.push_back(orders_of(atom, names));
  }
  const MatrixView<double> result(out.data(), n, K);
  basis_.derivatives_of_sums(of_atom, frame_.scaled(points), orders, result);
  for (std::size_t k = 0; k < K; ++k) {
    const double factor = frame_.factor(orders[k]);
    for (std::size_t i = 0; i < n; ++i) result(i, k) *= factor;
  }
}

void RbfField::save(Checkpoint& c) const {
  c.texts["field"] = "rbf";
  c.texts["kernel"] = entry_of(basis_.kernel()).name;
  c.numbers["tail"] = static_cast<std::uint64_t>(basis_.tail() + 1);
  c.arrays["eps"] = Array::list({basis_.eps()});
  c.arrays["centres"] = Array::list(basis_.centres());
  c.arrays["frame/middle"] = Array::list(frame_.middle);
  c.arrays["frame/half"] = Array::list(frame_.half);
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    c.arrays["coefficients/" + fields_[f]] = Array::list(coefficients_[f]);
  }
}

std::shared_ptr<const RbfField> RbfField::load(std::shared_ptr<const Problem> problem,
                                               const Checkpoint& c) {
  const auto kernel = std::find_if(all_rbf_kernels().begin(), all_rbf_kernels().end(),
                                   [&](const auto& e) { return e.name == c.text("kernel"); });
  const std::vector<double>& eps = c.array("eps").values;
  if (c.text("field") != "rbf" || kernel == all_rbf_kernels().end() || eps.size() != 1) {
    throw Error(ErrorKind::file, "the field is not one of radial basis functions", kansa_place);
  }
  RbfBasis basis(kernel->kernel, eps[0], c.array("centres").values, problem->coordinates().size(),
                 static_cast<int>(std::min<std::uint64_t>(c.number("tail"), 1000)) - 1);
  std::vector<std::vector<double>> coefficients;
  for (const std::string& f : problem->fields) {
    coefficients.push_back(c.array("coefficients/" + f).values);
  }
  std::vector<std::string> fields = problem->fields;
  return std::make_shared<RbfField>(
      std::move(problem), UnitFrame{c.array("frame/middle").values, c.array("frame/half").values},
      std::move(basis), std::move(fields), std::move(coefficients));
}

}  // namespace cauchy::detail
