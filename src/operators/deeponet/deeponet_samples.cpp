#include "operators/deeponet/deeponet_samples.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include <cauchy/math/blas.hpp>
#include <cauchy/math/lapack.hpp>

#include "data/input_sampler.hpp"
#include "operators/channels.hpp"  // channel_of
#include "problem/call_values.hpp"
#include "problem/grid_table.hpp"
#include "problem/point_data.hpp"
#include "problem/point_evaluator.hpp"
#include "solvers/pinn/pinn_terms.hpp"

namespace cauchy::detail {
namespace {

constexpr const char* samples_place = "[train.physics]";

/// Values of every input on the grid of the data, function by function.
class GridInputs final {
 public:
  GridInputs(const DeepOnetMap& map, const OperatorProblem& problem, const DataSet& train,
             std::size_t n_train, std::size_t known)
      : map_(map), train_(train), n_train_(n_train), known_(known) {
    for (const std::string& name : map.inputs) {
      const auto at = std::find(train.inputs.begin(), train.inputs.end(), name);
      channel_.push_back(static_cast<std::size_t>(at - train.inputs.begin()));
      std::size_t k = 0;
      while (k < problem.inputs.size() && problem.inputs[k].name != name) ++k;
      input_.push_back(k);
    }
    drawn_ = std::all_of(input_.begin(), input_.end(),
                         [&](std::size_t k) { return k < problem.inputs.size(); });
    if (drawn_ && !map.grid.is_cloud()) sampler_.emplace(problem, map.grid);
  }

  [[nodiscard]] std::vector<double> operator()(std::size_t function, std::size_t input) const {
    if (function < train_.size()) {
      const auto values = channel_of(train_, function, {true, channel_[input]});
      return {values.begin(), values.end()};
    }
    if (!sampler_) {
      throw Error(fmt::format("the problem does not say how '{}' is drawn: only the functions of "
                              "the data are known",
                              map_.inputs[input]),
                  samples_place, "leave out samples, or give [operator] a field for it");
    }
    // Functions without answers: those of the training, then others behind all of the problem.
    const std::uint64_t number = function < n_train_ ? function : known_ + (function - n_train_);
    return sampler_->on_grid(input_[input], number);
  }
  [[nodiscard]] TabulatedFunction table(std::size_t function, std::size_t input) const {
    return input_function(map_.grid, (*this)(function, input), map_.inputs[input],
                          map_.arguments[input], map_.interpolation[input]);
  }

 private:
  const DeepOnetMap& map_;
  const DataSet& train_;
  std::size_t n_train_, known_;
  std::vector<std::size_t> channel_, input_;
  bool drawn_ = false;
  std::optional<InputSampler> sampler_;
};

/// Values of all functions at the sensors, and what normalises them.
void put_sensors(DeepOnetSamples& samples, DeepOnetMap& map, const GridInputs& inputs,
                 Threads& pool) {
  const std::size_t n = samples.n_functions, m = map.n_sensors(), width = map.branch_inputs();
  samples.sensors.resize(n * width);
  pool.run(n, [&](std::size_t f, int) {
    for (std::size_t i = 0; i < map.inputs.size(); ++i) {
      std::ranges::copy(map.at_sensors(map.grid, inputs(f, i), i),
                        samples.sensors.begin() + static_cast<std::ptrdiff_t>(f * width + i * m));
    }
  });
  for (std::size_t i = 0; i < map.inputs.size(); ++i) {
    double sum = 0, squares = 0;
    for (std::size_t f = 0; f < n; ++f) {
      for (std::size_t k = 0; k < m; ++k) sum += samples.sensors[f * width + i * m + k];
    }
    const double mean = sum / static_cast<double>(n * m);
    for (std::size_t f = 0; f < n; ++f) {
      for (std::size_t k = 0; k < m; ++k) {
        const double v = samples.sensors[f * width + i * m + k] - mean;
        squares += v * v;
      }
    }
    const double deviation = std::sqrt(squares / static_cast<double>(n * m));
    map.input_mean[i] = mean;
    map.input_deviation[i] = deviation > 0 && std::isfinite(deviation) ? deviation : 1;
    for (std::size_t f = 0; f < n; ++f) {
      for (std::size_t k = 0; k < m; ++k) {
        double& v = samples.sensors[f * width + i * m + k];
        v = (v - mean) / map.input_deviation[i];
      }
    }
  }
}

/// Quadrature weights of the answers, 1 in the mean.
std::vector<double> answer_weights(const FieldGrid& grid, std::size_t n_times) {
  const std::vector<double> w = grid.weights();
  double sum = 0;
  for (const double x : w) sum += x;
  std::vector<double> all;
  for (std::size_t t = 0; t < n_times; ++t) {
    for (const double x : w) all.push_back(x * static_cast<double>(w.size()) / sum);
  }
  return all;
}

/// Mean and deviation of a field over its values; each(body) calls body with all of them.
void put_size(DeepOnetMap::FieldForm& form, const auto& each) {
  double sum = 0, squares = 0, n = 0;
  each([&](double v) { sum += v, n += 1; });
  const double mean = n > 0 ? sum / n : 0;
  each([&](double v) { squares += (v - mean) * (v - mean); });
  const double deviation = std::sqrt(squares / std::max(n, 1.0));
  form.scale = deviation > 0 && std::isfinite(deviation) ? deviation : 1;
  form.offset = form.factor.is_constant(1) ? mean : 0;
}

/// The same of all fields of the data.
void put_output_sizes(DeepOnetMap& map, const AnswerPoints& answers, const DataSet& train) {
  const std::size_t K = answers.times.size();
  for (std::size_t i = 0; i < answers.field.size(); ++i) {
    put_size(map.fields[answers.field[i]], [&](auto body) {
      for (std::size_t s = 0; s < train.size(); ++s) {
        for (std::size_t k = 0; k < K; ++k) {
          for (const double v : channel_of(train, s, {false, answers.channel[i * K + k]})) body(v);
        }
      }
    });
  }
}

/// The p leading principal functions of the answers, in the norm of the grid, each times the
/// deviation of its coefficient.
void put_principal_functions(DeepOnetMap& map, const AnswerPoints& answers, const DataSet& train) {
  const std::size_t K = answers.times.size(), nodes = train.grid.n_points(), n = K * nodes;
  const std::size_t S = train.size(), p = map.width();
  if (p > S || p > n) {
    throw Error(fmt::format("{} samples at {} points have no {} principal functions", S, n, p),
                "[train.width]", fmt::format("give width = {} or less", std::min(S, n)));
  }
  const std::vector<double> weights = answer_weights(train.grid, K);
  map.pod_times = answers.times;
  map.pod.assign(map.fields.size() * (1 + p) * n, 0.0);
  for (std::size_t i = 0; i < answers.field.size(); ++i) {
    double* const to = &map.pod[answers.field[i] * (1 + p) * n];
    Matrix a(S, n);
    for (std::size_t s = 0; s < S; ++s) {
      for (std::size_t k = 0; k < K; ++k) {
        const auto v = channel_of(train, s, {false, answers.channel[i * K + k]});
        for (std::size_t j = 0; j < nodes; ++j) a(s, k * nodes + j) = v[j];
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      double mean = 0;
      for (std::size_t s = 0; s < S; ++s) mean += a(s, j);
      to[j] = mean / static_cast<double>(S);
      for (std::size_t s = 0; s < S; ++s) a(s, j) = (a(s, j) - to[j]) * std::sqrt(weights[j]);
    }
    // The smaller of both Gram matrices.
    const bool by_sample = S <= n;
    const std::size_t m = by_sample ? S : n;
    Matrix gram(m, m);
    gemm(by_sample ? Transpose::no : Transpose::yes, by_sample ? Transpose::yes : Transpose::no,
         1.0, a, a, 0.0, gram);
    const SymmetricEigen<double> eigen = symmetric_eigen(gram);
    for (std::size_t k = 0; k < p; ++k) {
      const std::size_t column = m - 1 - k;  // eigenvalues ascend
      const double value = std::max(eigen.values[column], 0.0);
      const double size = std::sqrt(value / static_cast<double>(S));
      for (std::size_t j = 0; j < n; ++j) {
        double v = 0;
        if (by_sample) {
          for (std::size_t s = 0; s < S; ++s) v += a(s, j) * eigen.vectors(s, column);
          v = value > 0 ? v / std::sqrt(value) : 0;
        } else {
          v = eigen.vectors(j, column);
        }
        to[(1 + k) * n + j] = weights[j] > 0 ? v * size / std::sqrt(weights[j]) : 0;
      }
    }
  }
}

/// Functions that lifts bring into the residuals of the data: values(call, its input).
void put_lifts(DeepOnetSamples::Pool& pool, const DeepOnetMap& map, const auto& values) {
  for (const Expr& call : data_of(pool.term.residuals)) {
    if (call.kind() != Kind::call) continue;
    pool.term.data.push_back(call);
    const auto input = static_cast<std::size_t>(
        std::find(map.inputs.begin(), map.inputs.end(), call.name()) - map.inputs.begin());
    pool.data.push_back({AlignedData::Per::pair, values(call, input)});
  }
}

/// The residual of a field against its truth, and the numbers that it needs.
void add_truth(DeepOnetSamples::Pool& pool, const DeepOnetMap& map, const std::string& field,
               DeepOnetSamples::Pool::Data truths, DeepOnetSamples::Pool::Data scales) {
  const Symbol truth("truth of " + field), scale("scale of " + field);
  pool.term.residuals.push_back(map.lifted((Field(field) - truth) * scale));
  pool.term.data.insert(pool.term.data.end(), {truth, scale});
  pool.data.push_back(std::move(truths));
  pool.data.push_back(std::move(scales));
}

/// 1 / (unit * sqrt(F)) for the mean square of the truth of every sample, in place: in units of
/// that, or of the field. A truth that is zero everywhere is measured by the mean of its field.
void scales_of_squares(std::vector<double>& squares, double mean, const DeepOnetMap& map,
                       std::size_t field, std::size_t n_fields) {
  const double unit = map.fields[field].scale;
  for (double& s : squares) {
    double size = map.method.relative ? (s > 0 ? s : mean) : unit * unit;
    if (!(size > 0)) size = 1;
    s = 1 / std::sqrt(size * static_cast<double>(n_fields));
  }
}

DeepOnetSamples::Pool empty_data_pool(const DeepOnetMap& map) {
  DeepOnetSamples::Pool pool;
  pool.kind = PointSource::Kind::observation;
  pool.labelled = true;
  pool.term.name = "data";
  pool.term.weight = map.method.physics.data;
  return pool;
}

/// The term of the data.
DeepOnetSamples::Pool data_pool(const DeepOnetMap& map, const AnswerPoints& answers,
                                const DataSet& train, const GridInputs& inputs, Threads& threads) {
  const std::size_t K = answers.times.size(), nodes = train.grid.n_points(), n = K * nodes;
  DeepOnetSamples::Pool pool = empty_data_pool(map);
  pool.points = answers.points;
  pool.n_points = n;
  pool.weights = answer_weights(train.grid, K);
  for (std::size_t i = 0; i < answers.field.size(); ++i) {
    DeepOnetSamples::Pool::Data values{AlignedData::Per::pair, {}},
        scales{AlignedData::Per::sample, {}};
    values.values.reserve(train.size() * n);
    double mean = 0;
    for (std::size_t s = 0; s < train.size(); ++s) {
      double square = 0;
      for (std::size_t k = 0; k < K; ++k) {
        const auto v = channel_of(train, s, {false, answers.channel[i * K + k]});
        values.values.insert(values.values.end(), v.begin(), v.end());
        for (std::size_t j = 0; j < nodes; ++j) square += pool.weights[k * nodes + j] * v[j] * v[j];
      }
      scales.values.push_back(square / static_cast<double>(n));
      mean += scales.values.back() / static_cast<double>(train.size());
    }
    scales_of_squares(scales.values, mean, map, answers.field[i], answers.field.size());
    add_truth(pool, map, map.fields[answers.field[i]].name, std::move(values), std::move(scales));
  }
  put_lifts(pool, map, [&](const Expr& call, std::size_t input) {
    std::vector<double> all(train.size() * n);
    threads.run(train.size(), [&](std::size_t s, int) {
      std::ranges::copy(call_values(inputs.table(s, input), map.coordinates(), call, pool.points),
                        all.begin() + static_cast<std::ptrdiff_t>(s * n));
    });
    return all;
  });
  return pool;
}

/// The same for triples: every function at points of its own. Completes the sizes of the outputs.
DeepOnetSamples::Pool triples_pool(DeepOnetMap& map, const Triples& t, std::size_t n_train,
                                   const GridInputs& inputs, DeepOnetSamples& samples) {
  constexpr const char* place = "[data.triples]";
  const std::size_t D = map.axes.size(), F = t.fields.size(), n = t.size();
  std::vector<std::size_t> column;
  for (const DeepOnetMap::Axis& a : map.axes) {
    const auto at = std::find(t.coordinates.begin(), t.coordinates.end(), a.name);
    if (at == t.coordinates.end()) {
      throw Error(ErrorKind::not_found, fmt::format("there is no coordinate '{}'", a.name), place,
                  "give a column for every coordinate of the answers");
    }
    column.push_back(static_cast<std::size_t>(at - t.coordinates.begin()));
  }
  DeepOnetSamples::Pool pool = empty_data_pool(map);
  pool.n_points = n;
  pool.first_row.assign(n_train + 1, 0);
  for (std::size_t r = 0; r < n; ++r) {
    if (t.sample[r] >= n_train) {
      throw Error(fmt::format("row {} is of sample {}, {} are for the training", r + 1, t.sample[r],
                              n_train),
                  place, "give [operator] as many samples as there are functions");
    }
    ++pool.first_row[t.sample[r] + 1];
  }
  for (std::size_t s = 0; s < n_train; ++s) {
    if (pool.first_row[s + 1] > 0) samples.labelled.push_back(s);
    pool.first_row[s + 1] += pool.first_row[s];
  }
  samples.n_labelled = samples.labelled.size();
  std::vector<std::size_t> row(n), next(pool.first_row.begin(), pool.first_row.end() - 1);
  for (std::size_t r = 0; r < n; ++r) row[next[t.sample[r]]++] = r;  // in order of their samples
  for (const std::size_t r : row) {
    for (std::size_t k = 0; k < D; ++k) {
      const DeepOnetMap::Axis& a = map.axes[k];
      const double x = t.points[r * D + column[k]], slack = 1e-9 * (a.upper - a.lower);
      if (!(x >= a.lower - slack && x <= a.upper + slack)) {
        throw Error(fmt::format("row {} lies outside of the domain: {} = {:.6g}", r + 1, a.name, x),
                    place, fmt::format("{} runs from {:.6g} to {:.6g}", a.name, a.lower, a.upper));
      }
      pool.points.push_back(x);
    }
  }
  for (std::size_t f = 0; f < F; ++f) {
    const auto at = std::find_if(map.fields.begin(), map.fields.end(),
                                 [&](const auto& form) { return form.name == t.fields[f]; });
    if (at == map.fields.end()) {
      throw Error(ErrorKind::not_found, fmt::format("'{}' is no output", t.fields[f]), place,
                  "leave the column out");
    }
    DeepOnetSamples::Pool::Data truths, scales;
    for (const std::size_t r : row) truths.values.push_back(t.values[r * F + f]);
    put_size(*at, [&](auto body) {
      for (const double v : truths.values) {
        if (!std::isnan(v)) body(v);
      }
    });
    double mean = 0, count = 0;
    std::vector<double> squares(n_train, 0.0);
    for (std::size_t s = 0; s < n_train; ++s) {
      double own = 0, seen = 0;
      for (std::size_t i = pool.first_row[s]; i < pool.first_row[s + 1]; ++i) {
        if (std::isnan(truths.values[i])) continue;
        own += truths.values[i] * truths.values[i];
        seen += 1;
      }
      if (seen == 0) continue;
      squares[s] = own / seen;
      mean += squares[s];
      count += 1;
    }
    scales_of_squares(squares, count > 0 ? mean / count : 0, map,
                      static_cast<std::size_t>(at - map.fields.begin()), F);
    for (std::size_t i = 0; i < n; ++i) {
      const bool seen = !std::isnan(truths.values[i]);
      scales.values.push_back(seen ? squares[t.sample[row[i]]] : 0);
      if (!seen) truths.values[i] = 0;
    }
    add_truth(pool, map, at->name, std::move(truths), std::move(scales));
  }
  put_lifts(pool, map, [&](const Expr& call, std::size_t input) {
    std::vector<double> all;
    for (const std::size_t s : samples.labelled) {
      const std::size_t first = pool.first_row[s], end = pool.first_row[s + 1];
      const std::vector<double> own =
          call_values(inputs.table(s, input), map.coordinates(), call,
                      std::span<const double>(pool.points).subspan(first * D, (end - first) * D));
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  });
  return pool;
}

/// Equations and conditions.
class PhysicsPools final {
 public:
  PhysicsPools(DeepOnetMap& map, const OperatorProblem& op, const GridInputs& inputs,
               std::size_t n_functions, Threads& pool)
      : map_(map), inputs_(inputs), n_functions_(n_functions), pool_(pool) {
    auto problem = std::make_shared<Problem>(op.problem);
    // Sizes come from the functions themselves: those of the first one stand for all.
    for (std::size_t i = 0; i < map.inputs.size(); ++i) set_table(*problem, inputs.table(0, i));
    problem_ = problem;
    if (!problem_->unknowns.empty() || !problem_->coefficients.empty()) {
      throw Error(ErrorKind::unsupported, "an operator has no unknown constants or coefficients",
                  samples_place, "give them as numbers or inputs");
    }
  }

  std::vector<DeepOnetSamples::Pool> make(bool sizes_from_data) {
    Pinn method;
    const DeepOnetPhysics& physics = map_.method.physics;
    method.points.interior = physics.interior;
    method.points.boundary = physics.boundary;
    method.points.initial = physics.initial;
    const Lowering lower(*problem_);
    Sizes sizes = characteristic_sizes(*problem_, lower, true);
    for (DeepOnetMap::FieldForm& f : map_.fields) {
      if (sizes_from_data)
        sizes.fields[f.name] = std::hypot(f.scale, f.offset);
      else
        f.scale = sizes.fields.at(f.name);
    }
    PinnLoss loss = make_loss(problem_, method, lower, sizes);
    std::vector<DeepOnetSamples::Pool> pools;
    for (PinnTerm& t : loss.terms) {
      t.term.weight *= physics.weight;
      for (Expr& r : t.term.residuals) r = map_.lifted(r);
      t.term.data = data_of(t.term.residuals);
      pools.push_back(pool_of(t));
    }
    return pools;
  }

 private:
  DeepOnetSamples::Pool pool_of(PinnTerm& t) const {
    if (t.groups) {
      throw Error(ErrorKind::unsupported, "a DeepONet has no integrals in its loss",
                  fmt::format("condition '{}'", t.term.name), "leave out the physics");
    }
    DeepOnetSamples::Pool pool;
    pool.term = t.term;
    pool.kind = t.kind;
    const Points points = t.draw(t.n, {});
    pool.points = points.values;
    pool.n_points = points.size();
    pool.weights = term_weights(t, PointEvaluator(*problem_), points);
    const std::vector<Expr>& data = t.term.data;
    std::vector<std::size_t> of_functions;
    const std::vector<double> common = point_data(*problem_, data, points, t.observed);
    for (std::size_t k = 0; k < data.size(); ++k) {
      const bool varies =
          data[k].kind() == Kind::call &&
          std::find(map_.inputs.begin(), map_.inputs.end(), data[k].name()) != map_.inputs.end();
      DeepOnetSamples::Pool::Data& d = pool.data.emplace_back();
      if (varies) {
        of_functions.push_back(k);
        d.values.resize(n_functions_ * pool.n_points);
        continue;
      }
      d.per = AlignedData::Per::point;
      for (std::size_t i = 0; i < pool.n_points; ++i)
        d.values.push_back(common[i * data.size() + k]);
    }
    if (of_functions.empty()) return pool;
    require_memory(8.0 * static_cast<double>(n_functions_ * pool.n_points * of_functions.size()),
                   "values of the input functions at points", "use fewer points or functions",
                   samples_place);
    constexpr std::size_t grain = 16;
    const std::size_t n_chunks = chunk_count(n_functions_, grain);
    pool_.run(n_chunks, [&](std::size_t c, int) {
      Problem own = *problem_;
      const IndexRange range = chunk_range(n_functions_, n_chunks, c);
      for (std::size_t f = range.begin; f < range.end; ++f) {
        for (std::size_t i = 0; i < map_.inputs.size(); ++i) set_table(own, inputs_.table(f, i));
        for (const std::size_t k : of_functions) {
          std::ranges::copy(
              call_values(own, data[k], points.values),
              pool.data[k].values.begin() + static_cast<std::ptrdiff_t>(f * pool.n_points));
        }
      }
    });
    return pool;
  }

  DeepOnetMap& map_;
  const GridInputs& inputs_;
  std::size_t n_functions_;
  Threads& pool_;
  std::shared_ptr<const Problem> problem_;
};

}  // namespace

DeepOnetSamples make_deeponet_samples(DeepOnetMap& map, const OperatorProblem& problem,
                                      const DataSet& train, const Triples& triples,
                                      std::size_t n_train, std::size_t known, Threads& pool) {
  const DeepOnetPhysics& physics = map.method.physics;
  DeepOnetSamples samples;
  const bool data = physics.data > 0, equations = physics.weight > 0;
  const bool by_triples = data && !triples.empty();
  if (by_triples && map.method.pod) {
    throw Error(ErrorKind::unsupported, "principal functions are those of answers on one grid",
                "[train]", "leave out pod, or the triples");
  }
  if (data && !by_triples && train.size() == 0) {
    throw Error(ErrorKind::not_found, "there is no sample to train on", "[operators]",
                "give [operator] samples = 1 or more, or [train.physics] data = 0");
  }
  if (equations && !problem.problem.domain) {
    throw Error("the problem has no equations and no domain", samples_place,
                "leave out the physics");
  }
  samples.n_labelled = data ? train.size() : 0;
  if (equations) samples.n_physics = physics.samples > 0 ? physics.samples : n_train;
  samples.n_functions = std::max(samples.size(), by_triples ? n_train : 0);
  const GridInputs inputs(map, problem, train, n_train, known);
  put_sensors(samples, map, inputs, pool);
  if (by_triples) {
    samples.pools.push_back(triples_pool(map, triples, n_train, inputs, samples));
  } else if (data) {
    const AnswerPoints answers = answer_points(map, train);
    put_output_sizes(map, answers, train);
    if (map.method.pod) put_principal_functions(map, answers, train);
    samples.pools.push_back(data_pool(map, answers, train, inputs, pool));
  }
  if (equations) {
    for (auto& made : PhysicsPools(map, problem, inputs, samples.n_functions, pool).make(data)) {
      samples.pools.push_back(std::move(made));
    }
  }
  return samples;
}

}  // namespace cauchy::detail
