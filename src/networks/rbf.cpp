#include <cauchy/networks/rbf.hpp>

#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/options.hpp>
#include <cauchy/sampling/sampler.hpp>

namespace cauchy {
namespace {

constexpr double reach = 1.1;  // of the first centres

void check_rbf(const Rbf& rbf, int n_outputs) {
  const auto refuse = [](const std::string& why) { throw Error(why, "[networks.rbf]"); };
  if (rbf.centres < 1) refuse(fmt::format("centres must be positive, got {}", rbf.centres));
  if (n_outputs < 1)
    refuse(fmt::format("the number of fields must be positive, got {}", n_outputs));
  if (!(rbf.shape >= 0) || !std::isfinite(rbf.shape)) {
    refuse(fmt::format("the shape must not be negative, got {}", rbf.shape));
  }
  if (rbf.tail < 0 || rbf.tail > 2)
    refuse(fmt::format("the tail must be 0 to 2, got {}", rbf.tail));
  const RbfKernelEntry& kernel = entry_of(rbf.kernel);
  if (kernel.smoothness != RbfKernelEntry::any_order) {
    refuse(
        fmt::format("{} is not smooth at its centres, use gaussian or multiquadric", kernel.name));
  }
}

}  // namespace

int add_network(Graph& graph, const Rbf& rbf, int input, int n_outputs) {
  check_rbf(rbf, n_outputs);
  const int d = graph.rows(input), K = rbf.centres;
  const auto n = static_cast<std::size_t>(K);
  const double spacing = 2 * reach / std::pow(K, 1.0 / d);
  const double eps = rbf.shape > 0 ? rbf.shape : 0.25 / (spacing * spacing);

  const SamplerOptions spread{.kind = SamplerKind::r_sequence};
  std::vector<Expr> first;
  for (const double u : unit_points(spread, static_cast<std::size_t>(d), n)) {
    first.emplace_back(reach * (2 * u - 1));
  }
  int difference = graph.subtract(graph.tile(input, K), graph.expression(std::move(first)));
  if (rbf.learn_centres) difference = graph.shift(difference, 0, true, "centre");
  int z = graph.row_sum(graph.multiply(difference, difference), d);
  if (rbf.learn_shapes) {
    const int logarithm = graph.expression(std::vector<Expr>(n, Expr(std::log(eps))));
    const int shapes = graph.activation(graph.shift(logarithm, 0, true, "shape"), Activation::exp);
    z = graph.multiply(z, shapes);
  } else {
    z = graph.multiply(z, graph.number(eps));
  }

  const int one = graph.number(1);
  int phi = 0;
  if (rbf.kernel == RbfKernel::gaussian) {
    phi = graph.activation(graph.subtract(graph.number(0), z), Activation::exp);
  } else {
    phi = graph.add(one, z);
    if (rbf.kernel != RbfKernel::inverse_quadratic) phi = graph.activation(phi, Activation::sqrt);
    if (rbf.kernel != RbfKernel::multiquadric) phi = graph.divide(one, phi);
  }
  if (rbf.normalized) phi = graph.divide(phi, graph.row_sum(phi));
  const int sum = graph.affine(phi, n_outputs, rbf.tail > 0, "coefficient");
  return rbf.tail < 2 ? sum : graph.add(sum, graph.affine(input, n_outputs, false, "tail"));
}

void visit_options(Rbf& rbf, OptionVisitor& v) {
  Words<RbfKernel> kernels;
  for (const RbfKernelEntry& e : all_rbf_kernels()) {
    if (e.smoothness == RbfKernelEntry::any_order) kernels.emplace_back(e.name, e.kernel);
  }
  v.count("centres", rbf.centres, 1, 1'000'000);
  v.word("kernel", rbf.kernel, kernels);
  v.number("shape", rbf.shape, NumberRange::not_negative);
  v.flag("learn_centres", rbf.learn_centres);
  v.flag("learn_shapes", rbf.learn_shapes);
  v.flag("normalized", rbf.normalized);
  v.count("tail", rbf.tail, 0, 2);
}

std::string describe(const Rbf& rbf) {
  return fmt::format("{} {} centres", rbf.centres, entry_of(rbf.kernel).name);
}

}  // namespace cauchy
