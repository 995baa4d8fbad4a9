#include "solvers/variational/test_space.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/run_limit.hpp>
#include <cauchy/base/work.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/print.hpp>

namespace cauchy::detail {
namespace {

constexpr double most_entries = 1e8;
constexpr std::size_t no_axis = static_cast<std::size_t>(-1);

using TestFunction = TabulatedTests::Function;

/// What one axis of a product gives: j-th derivative at its nodes times their weights, or the jump
/// at its faces.
struct AxisFactors {
  std::size_t first = 0;  ///< node, or face
  std::vector<double> values;
};

AxisFactors node_factors(const TabulatedTests& axis, const TestFunction& f, std::size_t j) {
  AxisFactors out{f.first, f.at[j]};
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] *= axis.weights[f.first + i];
  return out;
}

/// Tensor products of axes: numbers of points, and the walk through the support of a function.
class ProductWalk final {
 public:
  explicit ProductWalk(const std::vector<TabulatedTests>& axes) : axes_(axes) {
    for (const TabulatedTests& a : axes) inside_ *= a.nodes.size();
    n_points_ = inside_;
  }

  /// Calls visit(point, factor) for the product of one list of factors per axis; `face` is the axis
  /// whose factors are those of faces.
  template <class Visit>
  void operator()(const std::vector<AxisFactors>& factors, std::size_t face, Visit visit) {
    const std::size_t D = axes_.size();
    std::vector<std::size_t> at(D, 0);
    for (const AxisFactors& f : factors) {
      if (f.values.empty()) return;
    }
    for (;;) {
      double product = 1;
      for (std::size_t a = 0; a < D; ++a) product *= factors[a].values[at[a]];
      if (product != 0) {
        index_.assign(at.begin(), at.end());
        for (std::size_t a = 0; a < D; ++a) index_[a] += factors[a].first;
        visit(point(index_, face), product);
      }
      std::size_t a = D;
      while (a > 0 && ++at[a - 1] == factors[a - 1].values.size()) at[--a] = 0;
      if (a == 0) return;
    }
  }

  /// Values of all points: those inside, then those of faces in the order of their first use.
  [[nodiscard]] std::vector<double> values() const {
    const std::size_t D = axes_.size();
    std::vector<double> out(n_points_ * D);
    std::vector<std::size_t> at(D, 0);
    for (std::size_t p = 0; p < inside_; ++p) {
      for (std::size_t a = 0; a < D; ++a) out[p * D + a] = axes_[a].nodes[at[a]];
      for (std::size_t a = D; a > 0 && ++at[a - 1] == axes_[a - 1].nodes.size(); --a) at[a - 1] = 0;
    }
    for (const auto& [key, p] : faces_) {
      for (std::size_t a = 0; a < D; ++a) {
        const std::size_t i = key[a + 1];
        out[p * D + a] = a == key[0] ? axes_[a].faces[i] : axes_[a].nodes[i];
      }
    }
    return out;
  }

 private:
  std::size_t point(const std::vector<std::size_t>& index, std::size_t face) {
    if (face == no_axis) {
      std::size_t p = 0;
      for (std::size_t a = 0; a < axes_.size(); ++a) p = p * axes_[a].nodes.size() + index[a];
      return p;
    }
    std::vector<std::size_t> key = {face};
    key.insert(key.end(), index.begin(), index.end());
    const auto [found, fresh] = faces_.try_emplace(std::move(key), n_points_);
    if (fresh) ++n_points_;
    return found->second;
  }

  const std::vector<TabulatedTests>& axes_;
  std::vector<std::size_t> index_;
  std::size_t inside_ = 1, n_points_ = 1;
  std::map<std::vector<std::size_t>, std::size_t> faces_;
};

}  // namespace

std::vector<WeakColumn> weak_columns(const WeakForm& form, const WeakRow& row, bool twice) {
  std::vector<WeakColumn> columns = {{row.source}};
  const std::size_t dim = form.space.size();
  for (std::size_t i = 0; i < dim; ++i) {
    const int by = static_cast<int>(i);
    if (!twice) {
      columns.push_back({row.flux[i], {by, -1}});
      continue;
    }
    // flux_i = sum_j a_ij u_{x_j} + rest for every field u: once more by parts.
    Expr rest = row.flux[i];
    for (const std::string& name : form.fields) {
      const Field u(name);
      for (std::size_t j = 0; j < dim; ++j) {
        const Expr slope = d(u, form.space[j]), a = partial(row.flux[i], slope);
        if (a.is_constant(0)) continue;
        const Expr roots[] = {a};
        if (!field_atoms(roots).empty()) {
          throw Error(
              ErrorKind::unsupported,
              fmt::format("the flux {} is not linear in derivatives", to_string(row.flux[i])),
              "[solvers.vpinn]", "use parts = 1");
        }
        rest = rest - a * slope - u * d(a, form.space[j]);
        columns.push_back({-a * u, {by, static_cast<int>(j)}});
      }
    }
    columns.push_back({rest, {by, -1}, true, false});
    columns.push_back({row.flux[i], {by, -1}, false, true});
  }
  std::erase_if(columns, [](const WeakColumn& c) { return c.e.is_constant(0); });
  return columns;
}

void require_summands(double n) {
  if (n <= most_entries) return;
  throw Error(ErrorKind::memory,
              fmt::format("the sums of the test functions have {:.1g} summands", n),
              "[solvers.vpinn]", "use fewer tests or more elements");
}

double test_size(int norm, double values, double slopes) {
  if (norm < 0) return 1;
  return norm == 0 || slopes == 0 ? values : slopes;
}

TestSpace product_space(const std::vector<std::string>& names,
                        const std::vector<TabulatedTests>& axes,
                        const std::vector<std::size_t>& space,
                        const std::vector<std::vector<WeakColumn>>& rows, int norm) {
  const std::size_t D = axes.size();
  std::size_t n_columns = 0;
  double entries = 1;
  for (const auto& row : rows) n_columns += row.size();
  for (const TabulatedTests& axis : axes) {
    double of_axis = 0;
    for (const TestFunction& f : axis.functions) of_axis += static_cast<double>(f.at[0].size());
    entries *= of_axis;
  }
  entries *= static_cast<double>(n_columns);
  require_summands(entries);
  const Work work(WorkKind::pieces, entries);
  ask_limit("the test functions", nominal_seconds(work));
  count_work(work);
  ProductWalk walk(axes);
  TestSpace out;
  out.sums.offsets = {0};
  out.n_columns = n_columns;
  out.n_functions = 1;
  for (const TabulatedTests& axis : axes) out.n_functions *= axis.functions.size();
  std::vector<const TestFunction*> product(D);
  std::vector<AxisFactors> factors(D);
  std::size_t first_column = 0;
  for (const std::vector<WeakColumn>& row : rows) {
    std::vector<std::size_t> at(D, 0);
    for (std::size_t k = 0; k < out.n_functions; ++k) {
      for (std::size_t a = 0; a < D; ++a) product[a] = &axes[a].functions[at[a]];
      for (std::size_t a = D; a > 0 && ++at[a - 1] == axes[a - 1].functions.size(); --a) {
        at[a - 1] = 0;
      }
      double values = 1, slopes = 0;
      for (std::size_t a = 0; a < D; ++a) values *= product[a]->norm[0];
      for (const std::size_t a : space) {
        const double share = product[a]->norm[1] / product[a]->norm[0];
        slopes += share * share;
      }
      const double size = test_size(norm, values, values * std::sqrt(slopes));
      for (std::size_t c = 0; c < row.size(); ++c) {
        const WeakColumn& column = row[c];
        // Orders of the derivative by every axis; those on faces without the last one.
        std::vector<std::size_t> orders(D, 0), before(D, 0);
        std::size_t last = no_axis;
        for (const int i : column.by) {
          if (i < 0) continue;
          if (last != no_axis) ++before[last];
          last = space[static_cast<std::size_t>(i)];
          ++orders[last];
        }
        const auto add = [&](std::size_t p, double factor) {
          out.sums.points.push_back(p * n_columns + first_column + c);
          out.sums.weights.push_back(factor / size);
        };
        if (column.inside) {
          for (std::size_t a = 0; a < D; ++a) {
            factors[a] = node_factors(axes[a], *product[a], orders[a]);
          }
          walk(factors, no_axis, add);
        }
        if (column.faces && last != no_axis) {
          for (std::size_t a = 0; a < D; ++a) {
            factors[a] = a == last
                             ? AxisFactors{product[a]->first_face, product[a]->jump[before[a]]}
                             : node_factors(axes[a], *product[a], before[a]);
          }
          walk(factors, last, [&](std::size_t p, double factor) { add(p, -factor); });
        }
      }
      out.sums.offsets.push_back(out.sums.points.size());
    }
    first_column += row.size();
  }
  out.points.columns = names;
  out.points.values = walk.values();
  return out;
}

}  // namespace cauchy::detail
