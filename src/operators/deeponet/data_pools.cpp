#include "operators/deeponet/data_pools.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <cauchy/base/error.hpp>

#include "operators/channels.hpp"                      // channel_of
#include "operators/deeponet/principal_functions.hpp"  // answer_weights
#include "problem/call_values.hpp"
#include "problem/point_data.hpp"  // data_of

namespace cauchy::detail {
namespace {

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

}  // namespace

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

}  // namespace cauchy::detail
