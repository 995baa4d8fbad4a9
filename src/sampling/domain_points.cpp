#include <cauchy/sampling/domain_points.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cauchy/base/error.hpp>
#include <cauchy/base/memory.hpp>
#include "sampling/collect.hpp"
#include "sampling/domain_selection.hpp"
#include "sampling/frame.hpp"
#include "sampling/shape_points.hpp"

namespace cauchy {
namespace detail {
namespace {

const Domain& checked(const Domain& domain) {
  if (domain.space() == nullptr) {
    throw Error("a domain without space has no boundary", "[sampling.boundary]",
                "use initial_points for its beginning");
  }
  return domain;
}

}  // namespace

DomainSelection::DomainSelection(const Domain& domain, std::string_view where)
    : boundary_(checked(domain), where),
      varies_in_time_(domain.time() != nullptr && boundary_.depends_on(domain.time()->name)) {
  for (const auto& [name, value] : domain.values()) {
    const auto is_range = [&name = name](const Range& r) { return r.name == name; };
    if (std::none_of(domain.ranges().begin(), domain.ranges().end(), is_range)) {
      known_.push_back({Parameter(name), value});
    }
  }
}

Expr DomainSelection::condition(const Piece& piece) {
  const auto found = conditions_.find(piece.labels);
  if (found != conditions_.end()) return found->second;
  return conditions_.emplace(piece.labels, substitute(boundary_.condition(piece), known_))
      .first->second;
}

}  // namespace detail

Points interior_points(const Domain& domain, std::size_t n, const SamplerOptions& options) {
  return detail::interior_rows(detail::frame_of(domain), n, options);
}

Points boundary_points(const Domain& domain, std::string_view where, std::size_t n,
                       const SamplerOptions& options) {
  detail::DomainSelection selection(domain, where);
  const auto condition = [&](const Piece& piece) { return selection.condition(piece); };
  return detail::boundary_rows(detail::frame_of(domain),
                               {condition, selection.text(), selection.varies_in_time()}, n,
                               options);
}

Points slice_points(const Domain& domain, double t, std::size_t n, const SamplerOptions& options) {
  detail::check_count(n, domain.columns().size());
  const Time* time = domain.time();
  if (time == nullptr) {
    throw Error("the domain has no time", "[sampling.slice]", "multiply it by Time(t, 0, 1)");
  }
  if (!(t >= time->lower && t <= time->upper)) {
    throw Error(
        fmt::format("{} = {} lies outside of [{}, {}]", time->name, t, time->lower, time->upper),
        "[sampling.slice]");
  }
  detail::Frame frame = detail::frame_of(domain);
  frame.time[0] = {t, t};
  if (frame.free_columns() > 0) return detail::interior_rows(frame, n, options);
  if (n != 1) {
    throw Error(fmt::format("a domain of time alone has one point at {} = {}, asked for {}",
                            time->name, t, n),
                "[sampling.slice]", "ask for 1");
  }
  Points points;
  points.columns = frame.columns;
  points.values = {t};
  return points;
}

Points initial_points(const Domain& domain, std::size_t n, const SamplerOptions& options) {
  if (domain.time() == nullptr) return slice_points(domain, 0, n, options);  // throws
  return slice_points(domain, domain.time()->lower, n, options);
}

Points grid_points(const Domain& domain, const std::vector<std::size_t>& counts) {
  const detail::Frame frame = detail::frame_of(domain);
  const std::size_t D = frame.width(), d = frame.space, x0 = frame.time.size();
  const std::size_t R = frame.ranges.size();
  if (counts.size() != D) {
    throw Error(fmt::format("{} counts for {} columns", counts.size(), D), "[sampling.grid]",
                fmt::format("one for each of {}", fmt::join(frame.columns, ", ")));
  }
  std::size_t total = 1, n_shapes = 1;
  double cells = 1;  // without overflow
  for (std::size_t i = 0; i < D; ++i) {
    if (counts[i] < 2) {
      throw Error(fmt::format("column '{}' needs at least 2 grid points, got {}", frame.columns[i],
                              counts[i]),
                  "[sampling.grid]");
    }
    total *= counts[i];
    cells *= static_cast<double>(counts[i]);
    if (i >= x0 + d) n_shapes *= counts[i];
  }

  require_memory(8 * cells * static_cast<double>(D), fmt::format("a grid of {:.3g} points", cells),
                 "use fewer points", "[sampling.grid]");

  // Written so that both ends are exact; (a n) / n can differ from a in the last bit.
  const auto at = [](const detail::Axis& a, std::size_t k, std::size_t count) {
    const auto last = static_cast<double>(count - 1), step = static_cast<double>(k);
    return a.lower * ((last - step) / last) + a.upper * (step / last);
  };
  // Row number -> indices, the last column fastest; ranges make up the fastest part.
  std::vector<std::vector<double>> range_values(n_shapes, std::vector<double>(R));
  for (std::size_t s = 0; s < n_shapes; ++s) {
    for (std::size_t i = R, rest = s; i-- > 0; rest /= counts[x0 + d + i]) {
      const std::size_t count = counts[x0 + d + i];
      range_values[s][i] = at(frame.ranges[i], rest % count, count);
    }
  }
  std::vector<ShapePtr> shapes;
  if (d > 0) {
    for (std::size_t s = 0; s < (frame.varies ? n_shapes : 1); ++s) {
      shapes.push_back(frame.shape(range_values[s]));
      check_bounded(*shapes.back(), frame);
    }
  }

  Points points;
  points.columns = frame.columns;
  std::vector<double> row(D);
  std::vector<std::size_t> k(D);
  for (std::size_t p = 0; p < total; ++p) {
    for (std::size_t i = D, rest = p; i-- > 0; rest /= counts[i]) k[i] = rest % counts[i];
    if (x0 > 0) row[0] = at(frame.time[0], k[0], counts[0]);
    std::copy_n(range_values[p % n_shapes].begin(), R,
                row.begin() + static_cast<std::ptrdiff_t>(x0 + d));
    if (d > 0) {
      const Shape& shape = *shapes[frame.varies ? p % n_shapes : 0];
      double size = 0;
      for (std::size_t i = 0; i < d; ++i) {
        const detail::Axis side{shape.bounds().lower[i], shape.bounds().upper[i]};
        row[x0 + i] = at(side, k[x0 + i], counts[x0 + i]);
        size = std::max(size, side.length());
      }
      if (!shape.contains(&row[x0]) && !(std::abs(shape.distance(&row[x0])) <= 1e-12 * size)) {
        continue;
      }
    }
    points.values.insert(points.values.end(), row.begin(), row.end());
  }
  if (points.values.empty()) {
    throw Error(ErrorKind::not_found, "no point of the grid lies in the region", "[sampling.grid]",
                "use more points");
  }
  return points;
}

}  // namespace cauchy
