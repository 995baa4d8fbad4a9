#include "operators/deeponet/deeponet_executor.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "operators/deeponet/branch_model.hpp"
#include "operators/deeponet/product_term.hpp"

namespace cauchy::detail {
namespace {

/// Slots of adjoints of the branch: as many chunks of points, whatever the number of threads.
constexpr std::size_t most_chunks = 16, least_points = 32;

[[noreturn]] void refuse_product(const char* what) {
  throw Error(
      ErrorKind::unsupported,
      fmt::format("a DeepONet has no {}: its residuals are sums over functions and points", what),
      "[operators]", "use adam, soap, lbfgs or ss_broyden, and another balancer than ntk");
}

template <class T>
class ProductExecutor final : public DeepOnetExecutor {
 public:
  ProductExecutor(const DeepOnetMap& map, std::vector<Term> terms, std::shared_ptr<Threads> pool,
                  Precision precision)
      : p_(map.width()),
        products_(map.n_products()),
        sensors_(map.branch_inputs()),
        pool_(std::move(pool)),
        pod_(map.method.pod ? &map : nullptr) {
    branch_ = make_branch(map, pool_, precision);
    std::vector<std::string> fields;
    for (const auto& f : map.fields) fields.push_back(f.name);
    const auto trunk = std::make_shared<const Graph>(map.trunk_graph());
    make_graph(map, *trunk);
    std::vector<Term> trunk_terms;
    for (Term& term : terms) {
      if (term.form != TermForm::square) {
        throw Error(ErrorKind::unsupported, "a DeepONet minimises squares of residuals",
                    fmt::format("term '{}'", term.name));
      }
      ResidualForm form = residual_form(term.residuals, trunk->coordinate_names(), fields, true,
                                        term.name, term.data);
      const TermPrograms programs(form, *trunk, term);
      trunk_terms.push_back({.name = term.name, .residuals = trunk_rows(form, *trunk, fields)});
      ProductTerm<T>& made = terms_.emplace_back(std::move(term), std::move(form), programs);
      for (const ResidualForm::Row& row : made.form.rows) {
        made.field.push_back(static_cast<std::size_t>(row.field));
      }
    }
    trunk_ = make_executor(trunk, std::move(trunk_terms), {.precision = precision, .pool = pool_});
    last_terms_.assign(terms_.size(), 0.0);
    workers_.resize(static_cast<std::size_t>(pool_->size()));
    for (ProductTerm<T>& t : terms_) {
      for (ProductWorker<T>& w : workers_) {
        widen(w.program, std::max({t.loss_gradient.workspace_size(), t.loss_value.workspace_size(),
                                   t.residual.workspace_size(), t.reverse.workspace_size()}));
      }
    }
  }

  [[nodiscard]] const Graph& graph() const noexcept override { return *graph_; }
  [[nodiscard]] std::size_t n_terms() const noexcept override { return terms_.size(); }
  [[nodiscard]] const Term& term(std::size_t term) const override { return terms_.at(term).spec; }
  [[nodiscard]] const std::shared_ptr<Threads>& pool() const noexcept override { return pool_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept override {
    return trunk_->warnings();
  }
  [[nodiscard]] std::size_t n_points(std::size_t term) const override {
    return terms_.at(term).pairs();
  }
  [[nodiscard]] const Groups* groups(std::size_t) const override { return nullptr; }
  [[nodiscard]] std::span<const double> weights(std::size_t term) const override {
    return terms_.at(term).given_weights;
  }
  [[nodiscard]] std::span<const double> last_terms() const noexcept override { return last_terms_; }

  void set_samples(std::span<const double> rows) override {
    if (rows.empty() || rows.size() % sensors_ != 0) {
      throw Error(
          fmt::format("{} numbers are no whole number of functions with {} values at sensors",
                      rows.size(), sensors_),
          "[operators]");
    }
    branch_->set(rows);
    n_samples_ = rows.size() / sensors_;
    widen(b64_, n_samples_ * products_);
    widen(b_, n_samples_ * products_);
    widen(db64_, n_samples_ * products_);
  }

  void set_aligned(std::size_t term, const AlignedPoints& given) override {
    ProductTerm<T>& t = terms_.at(term);
    const std::size_t D = trunk_->graph().coordinate_names().size();
    set_trunk_points(term, given.points);
    t.aligned = true;
    t.n_points = given.points.size() / D;
    t.all_samples = given.samples.empty();
    t.sample.assign(given.samples.begin(), given.samples.end());
    t.n_samples = t.all_samples ? n_samples_ : t.sample.size();
    if (t.all_samples) {
      for (std::size_t s = 0; s < n_samples_; ++s) t.sample.push_back(static_cast<int>(s));
    }
    put_points(t, given.points, D);
    if (given.data.size() != t.spec.data.size()) {
      throw Error(fmt::format("{} data are needed, got {}", t.spec.data.size(), given.data.size()),
                  t.place());
    }
    t.data.resize(given.data.size());
    for (std::size_t k = 0; k < given.data.size(); ++k) {
      const AlignedData& d = given.data[k];
      const std::size_t n = d.per == AlignedData::Per::pair    ? t.n_samples * t.n_points
                            : d.per == AlignedData::Per::point ? t.n_points
                                                               : t.n_samples;
      require_length(t, "the data", d.values.size(), n);
      t.data[k].per = d.per;
      t.data[k].values.resize(n);
      for (std::size_t i = 0; i < n; ++i) t.data[k].values[i] = static_cast<T>(d.values[i]);
    }
    put_weights(t, given.weights);
  }

  void set_points(std::size_t term, const TermPoints& given) override {
    ProductTerm<T>& t = terms_.at(term);
    if (given.groups != nullptr) {
      throw Error(ErrorKind::unsupported, "a DeepONet has no groups of points", t.place());
    }
    const std::size_t D = trunk_->graph().coordinate_names().size(), K = t.spec.data.size();
    set_trunk_points(term, given.points);
    t.aligned = false;
    t.n_points = given.points.size() / D;
    t.n_samples = 0;
    t.sample.clear();
    put_points(t, given.points, D);
    require_length(t, "the data", given.data.size(), t.n_points * K);
    t.data.resize(K);
    for (std::size_t k = 0; k < K; ++k) {
      t.data[k].per = AlignedData::Per::pair;
      t.data[k].values.resize(t.n_points);
      for (std::size_t i = 0; i < t.n_points; ++i) {
        t.data[k].values[i] = static_cast<T>(given.data[i * K + k]);
      }
    }
    put_weights(t, given.weights);
  }
  /// The function of every point; `rows` are those of set_samples().
  void set_input(std::size_t term, std::string_view name, std::span<const double> rows,
                 std::span<const int> set_of_point) override {
    ProductTerm<T>& t = terms_.at(term);
    if (name != "sensors") {
      throw Error(ErrorKind::not_found, fmt::format("unknown input '{}'", name), t.place(),
                  "inputs are: sensors");
    }
    set_samples(rows);
    put_functions(t, set_of_point);
  }
  void set_pairs(std::size_t term, const TermPoints& given, std::span<const int> samples) override {
    set_points(term, given);
    put_functions(terms_.at(term), samples);
  }
  void input_gradient(std::size_t, std::string_view, std::span<double>) override {
    refuse_product("gradient by its sensors");
  }

  void set_weights(std::size_t term, std::span<const double> weights) override {
    put_weights(terms_.at(term), weights);
  }
  void set_weight(std::size_t term, double weight) override {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw Error(fmt::format("the weight is {}", weight), terms_.at(term).place(),
                  "weights are finite and not negative");
    }
    terms_.at(term).spec.weight = weight;
  }

  double loss(std::span<const double> theta) override {
    forward_branch(theta);
    double sum = 0;
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      last_terms_[k] = idle(k) ? 0 : evaluate(k, theta, ProductSweep::loss, {});
      sum += last_terms_[k];
    }
    return sum;
  }

  double gradient(std::span<const double> theta, std::span<double> gradient,
                  const GradientParts& parts) override {
    forward_branch(theta);
    const std::size_t n_branch = branch_->n_parameters(), n_trunk = trunk_->n_parameters();
    std::ranges::fill(gradient, 0.0);
    widen(trunk_gradient_, n_trunk);
    const std::size_t n = n_samples_ * products_;
    std::fill_n(db64_.begin(), n, 0.0);
    double sum = 0;
    std::span<double> residuals = parts.residuals;
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      const std::size_t rows = terms_[k].pairs() * terms_[k].residuals();
      if (!parts.residuals.empty()) {
        (void)evaluate(k, theta, ProductSweep::residuals, residuals.first(rows));
        residuals = residuals.subspan(rows);
      }
      std::span<double> own;
      if (!parts.terms.empty()) own = parts.terms.subspan(k * gradient.size(), gradient.size());
      std::ranges::fill(own, 0.0);
      last_terms_[k] = 0;
      if (idle(k)) continue;
      last_terms_[k] = evaluate(k, theta, ProductSweep::gradient, {});
      sum += last_terms_[k];
      add_trunk_gradient(k, theta, gradient, own);
      if (own.empty()) {
        add_branch_adjoint(k, db64_);
      } else {
        one_.assign(n, 0.0);
        add_branch_adjoint(k, one_);
        branch_->adjoint(theta.first(n_branch), one_, own.first(n_branch));
        for (std::size_t i = 0; i < n; ++i) db64_[i] += one_[i];
      }
    }
    branch_->adjoint(theta.first(n_branch), std::span<const double>(db64_).first(n),
                     gradient.first(n_branch));
    return sum;
  }

  void residuals(std::size_t term, std::span<const double> theta, std::span<double> out) override {
    require_length(terms_.at(term), "residuals()", out.size(), n_residuals(term));
    forward_branch(theta);
    (void)evaluate(term, theta, ProductSweep::residuals, out);
  }
  void jacobian_transposed_times(std::size_t term, std::span<const double> theta,
                                 std::span<const double> w, std::span<double> out) override {
    require_length(terms_.at(term), "the seeds", w.size(), n_residuals(term));
    forward_branch(theta);
    seeds_ = w;
    (void)evaluate(term, theta, ProductSweep::transposed, {});
    std::ranges::fill(out, 0.0);
    widen(trunk_gradient_, trunk_->n_parameters());
    add_trunk_gradient(term, theta, out, {});
    one_.assign(n_samples_ * products_, 0.0);
    add_branch_adjoint(term, one_);
    const std::size_t n = branch_->n_parameters();
    branch_->adjoint(theta.first(n), one_, out.first(n));
  }
  void gradient_norms(std::size_t, std::span<const double>, std::span<double>) override {
    refuse_product("gradients of single residuals");
  }
  void jacobian(std::size_t, std::span<const double>, std::span<double>) override {
    refuse_product("Jacobian");
  }
  void jacobian_times(std::size_t, std::span<const double>, std::span<const double>,
                      std::span<double>) override {
    refuse_product("Jacobian");
  }
  void predict(std::span<const Expr>, std::span<const double>, std::span<const double>,
               std::span<double>) override {
    refuse_product("answer at points without functions");
  }

 private:
  /// All parameters under their names: that of the whole, or, where the branch lives on a grid, a
  /// row of as many numbers in its place.
  void make_graph(const DeepOnetMap& map, const Graph&) {
    if (!map.branch_on_grid()) {
      graph_ = std::make_shared<const Graph>(map.whole_graph());
      return;
    }
    auto g = std::make_shared<Graph>(map.coordinates());
    const auto n = static_cast<int>(branch_->n_parameters());
    (void)g->shift(g->input("sensors", n), 0, true, "branch");
    map.add_trunk(*g);
    graph_ = g;
  }

  /// The functions of the trunk that the rows of a form are products with, [row][1 + p].
  std::vector<Expr> trunk_rows(const ResidualForm& form, const Graph& trunk,
                               const std::vector<std::string>& fields) const {
    std::vector<Expr> all;
    for (const ResidualForm::Row& row : form.rows) {
      const std::string& field = fields[static_cast<std::size_t>(row.field)];
      const auto part = [&](const std::string& name) {
        Expr sum = 0;
        for (const JetSpec::Part& q : form.jets.component(row.component).parts) {
          MultiIndex index;
          for (std::size_t k = 0; k < q.orders.size(); ++k) {
            if (q.orders[k] > 0) index.emplace_back(trunk.coordinate_names()[k], q.orders[k]);
          }
          sum += q.coefficient * field_derivative(name, std::move(index));
        }
        return sum;
      };
      all.push_back(part(DeepOnetMap::offset_name(field)));
      for (std::size_t k = 0; k < p_; ++k) all.push_back(part(DeepOnetMap::product_name(field, k)));
    }
    return all;
  }

  [[nodiscard]] bool idle(std::size_t term) const { return terms_[term].spec.weight == 0; }

  static void require_length(const ProductTerm<T>& t, const char* what, std::size_t n,
                             std::size_t wanted) {
    if (n == wanted) return;
    throw Error(fmt::format("{} need {} numbers, got {}", what, wanted, n), t.place());
  }

  void set_trunk_points(std::size_t term, std::span<const double> points) {
    trunk_->set_points(term, {.points = points});
    if (pod_ == nullptr) return;
    // Splines through all principal functions: made anew for other points only.
    ProductTerm<T>& t = terms_.at(term);
    if (!std::ranges::equal(t.pod_points, points)) {
      t.pod_values = pod_->pod_at(points);
      t.pod_points.assign(points.begin(), points.end());
    }
    trunk_->set_input(term, "pod", t.pod_values);
  }
  void put_points(ProductTerm<T>& t, std::span<const double> points, std::size_t D) {
    t.points.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      t.points[i % D * t.n_points + i / D] = static_cast<T>(points[i]);
    }
    const std::size_t width = t.rows() * (1 + p_);
    t.trunk.resize(t.n_points * width);
    t.seeds.resize(t.n_points * width);
    t.t.resize(t.rows() * t.n_points * p_);
    t.dt.resize(t.t.size());
    t.offset.resize(t.rows() * t.n_points);
    t.doffset.resize(t.offset.size());
  }
  /// The function of every point of a term that is no product; empty: one after the other.
  void put_functions(ProductTerm<T>& t, std::span<const int> samples) {
    t.sample.assign(samples.begin(), samples.end());
    if (samples.empty()) {
      for (std::size_t i = 0; i < n_samples_; ++i) t.sample.push_back(static_cast<int>(i));
    }
    require_length(t, "the functions of points", t.sample.size(), t.n_points);
  }
  void put_weights(ProductTerm<T>& t, std::span<const double> given) {
    t.given_weights.assign(t.n_points, 1.0);
    if (!given.empty()) {
      require_length(t, "the weights of points", given.size(), t.n_points);
      std::ranges::copy(given, t.given_weights.begin());
    }
    t.weights.resize(t.n_points);
    for (std::size_t i = 0; i < t.n_points; ++i) t.weights[i] = static_cast<T>(t.given_weights[i]);
  }

  void forward_branch(std::span<const double> theta) {
    if (n_samples_ == 0) throw Error("no functions are set", "[operators]");
    const std::size_t n = n_samples_ * products_;
    branch_->forward(theta.first(branch_->n_parameters()), std::span(b64_).first(n));
    for (std::size_t i = 0; i < n; ++i) b_[i] = static_cast<T>(b64_[i]);
  }

  /// Chunks of the points of a term: so few that the slots of the branch stay small.
  [[nodiscard]] std::size_t chunks(const ProductTerm<T>& t) const {
    std::size_t most = most_chunks;
    while (most > 2 && most * n_samples_ * products_ * sizeof(T) > (std::size_t{64} << 20)) {
      most /= 2;
    }
    return std::clamp<std::size_t>(t.n_points / least_points, 1, most);
  }

  /// The term of one sweep; its loss, and adjoints of branch and trunk where they are wanted.
  double evaluate(std::size_t k, std::span<const double> theta, ProductSweep sweep,
                  std::span<double> out) {
    ProductTerm<T>& t = terms_.at(k);
    if (t.n_points == 0 || t.sample.empty()) {
      throw Error("no points are set", t.place(), "call set_aligned first");
    }
    for (const int s : t.sample) {
      if (s >= 0 && static_cast<std::size_t>(s) < n_samples_) continue;
      throw Error(fmt::format("there is no function {}, {} are set", s, n_samples_), t.place());
    }
    if (t.aligned && t.all_samples && t.n_samples != n_samples_) {
      throw Error(
          fmt::format("the points belong to {} functions, {} are set", t.n_samples, n_samples_),
          t.place(), "call set_aligned after set_samples");
    }
    trunk_->residuals(k, theta.subspan(branch_->n_parameters()), t.trunk);
    const std::size_t n_chunks = chunks(t), R = t.rows(), P = t.n_points;
    const bool adjoints = sweep == ProductSweep::gradient || sweep == ProductSweep::transposed;
    const std::size_t slot = n_samples_ * products_;
    if (adjoints) widen(t.db, n_chunks * slot);
    t.chunk_loss.assign(n_chunks, 0.0);
    const ProductBranch<T> branch{b_.data(), p_, products_};
    pool_->run(n_chunks, [&](std::size_t c, int worker) {
      const IndexRange points = chunk_range(P, n_chunks, c);
      for (std::size_t r = 0; r < R; ++r) {
        for (std::size_t i = points.begin; i < points.end; ++i) {
          const double* from = &t.trunk[(i * R + r) * (1 + p_)];
          t.offset[r * P + i] = static_cast<T>(from[0]);
          T* to = &t.t[(r * P + i) * p_];
          for (std::size_t q = 0; q < p_; ++q) to[q] = static_cast<T>(from[1 + q]);
        }
        if (adjoints) {
          std::fill_n(&t.doffset[r * P + points.begin], points.size(), T{0});
          std::fill_n(&t.dt[(r * P + points.begin) * p_], points.size() * p_, T{0});
        }
      }
      T* db = adjoints ? t.db.data() + c * slot : nullptr;
      if (db != nullptr) std::fill_n(db, slot, T{0});
      ProductWorker<T>& w = workers_[static_cast<std::size_t>(worker)];
      t.chunk_loss[c] = sweep_products(t, w, branch, points, sweep, db, seeds_, out);
    });
    return t.spec.weight * tree_sum(std::span<const double>(t.chunk_loss)) /
           static_cast<double>(t.pairs());
  }

  /// The adjoints of the trunk of the last sweep into the gradient; `own`: of the term alone.
  void add_trunk_gradient(std::size_t k, std::span<const double> theta, std::span<double> gradient,
                          std::span<double> own) {
    ProductTerm<T>& t = terms_[k];
    const std::size_t R = t.rows(), P = t.n_points;
    const std::size_t n_branch = branch_->n_parameters(), n_trunk = trunk_->n_parameters();
    if (n_trunk == 0) return;
    const std::size_t n_chunks = chunk_count(P, 256);
    pool_->run(n_chunks, [&](std::size_t c, int) {
      const IndexRange points = chunk_range(P, n_chunks, c);
      for (std::size_t i = points.begin; i < points.end; ++i) {
        for (std::size_t r = 0; r < R; ++r) {
          double* to = &t.seeds[(i * R + r) * (1 + p_)];
          to[0] = static_cast<double>(t.doffset[r * P + i]);
          const T* from = &t.dt[(r * P + i) * p_];
          for (std::size_t q = 0; q < p_; ++q) to[1 + q] = static_cast<double>(from[q]);
        }
      }
    });
    const std::span<double> made = std::span(trunk_gradient_).first(n_trunk);
    trunk_->jacobian_transposed_times(k, theta.subspan(n_branch), t.seeds, made);
    for (std::size_t i = 0; i < n_trunk; ++i) gradient[n_branch + i] += made[i];
    if (!own.empty()) std::ranges::copy(made, own.begin() + static_cast<std::ptrdiff_t>(n_branch));
  }

  /// Adds the slots of the last sweep in their order.
  void add_branch_adjoint(std::size_t k, std::vector<double>& to) {
    const ProductTerm<T>& t = terms_[k];
    const std::size_t slot = n_samples_ * products_, n_chunks = chunks(t);
    const std::size_t parts = chunk_count(slot, 8192);
    pool_->run(parts, [&](std::size_t part, int) {
      const IndexRange range = chunk_range(slot, parts, part);
      for (std::size_t c = 0; c < n_chunks; ++c) {
        const T* from = t.db.data() + c * slot;
        for (std::size_t i = range.begin; i < range.end; ++i) to[i] += static_cast<double>(from[i]);
      }
    });
  }

  std::size_t p_, products_, sensors_, n_samples_ = 0;
  std::shared_ptr<Threads> pool_;
  const DeepOnetMap* pod_;  // null: the trunk is a network
  std::unique_ptr<BranchModel> branch_;
  std::shared_ptr<const Graph> graph_;
  std::unique_ptr<Executor> trunk_;
  std::vector<ProductTerm<T>> terms_;
  std::vector<ProductWorker<T>> workers_;
  std::vector<double> last_terms_, b64_, db64_, one_, trunk_gradient_;
  AlignedVector<T> b_;
  std::span<const double> seeds_;  // of jacobian_transposed_times()
};

}  // namespace

std::unique_ptr<DeepOnetExecutor> make_deeponet_executor(const DeepOnetMap& map,
                                                         std::vector<Term> terms,
                                                         std::shared_ptr<Threads> pool,
                                                         Precision precision) {
  if (precision == Precision::f64) {
    return std::make_unique<ProductExecutor<double>>(map, std::move(terms), std::move(pool),
                                                     precision);
  }
  return std::make_unique<ProductExecutor<float>>(map, std::move(terms), std::move(pool),
                                                  precision);
}

}  // namespace cauchy::detail
