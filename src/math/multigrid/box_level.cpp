#include "math/multigrid/box_level.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/base/reduce.hpp>

namespace cauchy::detail {
namespace {

/// Calls body for ranges of n rows of the given length, in chunks worth a thread's while.
void for_rows(Threads* threads, std::size_t n, std::size_t length,
              FunctionRef<void(std::size_t chunk, IndexRange rows)> body) {
  const std::size_t grain = std::max<std::size_t>(1, 16384 / std::max<std::size_t>(length, 1));
  const std::size_t chunks = std::max<std::size_t>(1, chunk_count(n, grain));
  const auto one = [&](std::size_t chunk, int) { body(chunk, chunk_range(n, chunks, chunk)); };
  if (threads != nullptr && chunks > 1) {
    threads->run(chunks, one);
  } else {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) one(chunk, 0);
  }
}

std::size_t n_chunks_of(std::size_t n, std::size_t length) {
  return std::max<std::size_t>(
      1, chunk_count(n, std::max<std::size_t>(1, 16384 / std::max<std::size_t>(length, 1))));
}

void contract_row(const AxisMap& map, const double* in, double* out) {
  for (std::size_t j = 0; j < map.n_out(); ++j) {
    double sum = 0;
    for (std::size_t k = map.begin[j]; k < map.begin[j + 1]; ++k) {
      sum += map.weight[k] * in[map.index[k]];
    }
    out[j] = sum;
  }
}

}  // namespace

/// A row of nodes with a = 1: the rows beside it in the two other directions, and coefficients.
struct BoxLevel::PlainRow {
  const Along* along;
  std::array<const double*, 4> beside;
  std::array<double, 4> weight;
  double outer;  // part of the diagonal

  [[nodiscard]] double sum(const double* u, std::size_t i, std::size_t lo, std::size_t hi) const {
    return along->lower[i] * u[lo] + along->upper[i] * u[hi] + weight[0] * beside[0][i] +
           weight[1] * beside[1][i] + weight[2] * beside[2][i] + weight[3] * beside[3][i];
  }
  [[nodiscard]] double diagonal(std::size_t i) const { return along->diagonal[i] + outer; }
};

/// The same with values of a at the faces.
struct BoxLevel::FaceRow {
  const Along* along;
  const double* faces;  // along the row
  std::array<const double*, 4> beside, across;
  std::array<double, 4> weight, diagonal_weight;
  double c;

  [[nodiscard]] double sum(const double* u, std::size_t i, std::size_t lo, std::size_t hi) const {
    double s = along->lower[i] * faces[i] * u[lo] + along->upper[i] * faces[i + 1] * u[hi];
    for (std::size_t k = 0; k < 4; ++k) s += weight[k] * across[k][i] * beside[k][i];
    return s;
  }
  [[nodiscard]] double diagonal(std::size_t i) const {
    double s = along->lower_diagonal[i] * faces[i] + along->upper_diagonal[i] * faces[i + 1] + c;
    for (std::size_t k = 0; k < 4; ++k) s += diagonal_weight[k] * across[k][i];
    return s;
  }
};

BoxLevel::BoxLevel(Grids grids, Faces faces, double c)
    : grids_(std::move(grids)), faces_(std::move(faces)), c_(c) {
  for (std::size_t k = 0; k < 3; ++k) {
    const AxisGrid& g = grids_[k];
    n_[k] = std::max<std::size_t>(g.n(), 1);
    Along& along = along_[k];
    for (std::vector<double>* v : {&along.lower, &along.upper, &along.lower_diagonal,
                                   &along.upper_diagonal, &along.diagonal}) {
      v->assign(n_[k], 0);
    }
    for (std::size_t i = 0; i < g.n(); ++i) {
      along.lower_diagonal[i] = g.toward_lower(i);
      along.upper_diagonal[i] = g.toward_upper(i);
      along.diagonal[i] = along.lower_diagonal[i] + along.upper_diagonal[i];
      if (i > 0 || g.periodic()) along.lower[i] = along.lower_diagonal[i];
      if (i + 1 < g.n() || g.periodic()) along.upper[i] = along.upper_diagonal[i];
    }
  }
}

BoxLevel BoxLevel::coarser(bool& possible) const {
  double finest = std::numeric_limits<double>::infinity();
  for (const AxisGrid& g : grids_) {
    if (g.n() > 3) finest = std::min(finest, g.spacing());
  }
  possible = false;
  Grids grids = grids_;
  for (AxisGrid& g : grids) {
    // Where neighbours are strongly coupled errors are smooth after relaxation.
    if (g.n() > 3 && g.spacing() < 1.5 * finest) {
      g = g.coarser();
      possible = true;
    }
  }
  Faces faces = faces_;
  if (!possible || faces_[2].empty()) return {std::move(grids), std::move(faces), c_};
  for (std::size_t k = 0; k < 3; ++k) {
    std::array<std::size_t, 3> shape = n_;
    ++shape[k];
    for (double& v : faces[k]) v = 1 / v;
    for (const bool across : {false, true}) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if ((axis == k) == across || grids[axis].n() == grids_[axis].n()) continue;
        const AxisMap map =
            across ? volume_mean(grids[axis], grids_[axis]) : link_mean(grids[axis], grids_[axis]);
        faces[k] = contract(faces[k], shape, axis, map);
        shape[axis] = map.n_out();
      }
      if (!across) {
        for (double& v : faces[k]) v = 1 / v;
      }
    }
  }
  return {std::move(grids), std::move(faces), c_};
}

std::size_t BoxLevel::neighbour(std::size_t axis, std::size_t i, bool upper) const noexcept {
  const bool periodic = grids_[axis].n() > 0 && grids_[axis].periodic();
  if (upper) return i + 1 < n_[axis] ? i + 1 : (periodic ? 0 : i);
  return i > 0 ? i - 1 : (periodic ? n_[axis] - 1 : i);
}

BoxLevel::PlainRow BoxLevel::plain_row(std::size_t row, const double* u) const {
  const std::size_t i = row / n_[1], j = row % n_[1];
  const auto at = [&](std::size_t a, std::size_t b) { return u + (a * n_[1] + b) * n_[2]; };
  return {&along_[2],
          {at(neighbour(0, i, false), j), at(neighbour(0, i, true), j),
           at(i, neighbour(1, j, false)), at(i, neighbour(1, j, true))},
          {along_[0].lower[i], along_[0].upper[i], along_[1].lower[j], along_[1].upper[j]},
          along_[0].diagonal[i] + along_[1].diagonal[j] + c_};
}

BoxLevel::FaceRow BoxLevel::face_row(std::size_t row, const double* u) const {
  const std::size_t i = row / n_[1], j = row % n_[1];
  const PlainRow plain = plain_row(row, u);
  const double* a0 = faces_[0].data() + row * n_[2];
  const double* a1 = faces_[1].data() + (i * (n_[1] + 1) + j) * n_[2];
  return {plain.along,
          faces_[2].data() + row * (n_[2] + 1),
          plain.beside,
          {a0, a0 + n_[1] * n_[2], a1, a1 + n_[2]},
          plain.weight,
          {along_[0].lower_diagonal[i], along_[0].upper_diagonal[i], along_[1].lower_diagonal[j],
           along_[1].upper_diagonal[j]},
          c_};
}

template <class Row>
void BoxLevel::relax_row(const Row& row, const double* f, double* u, std::size_t first) const {
  const std::size_t last = n_[2] - 1;
  const auto update = [&](std::size_t i, std::size_t lo, std::size_t hi) {
    u[i] = (f[i] + row.sum(u, i, lo, hi)) / row.diagonal(i);
  };
  std::size_t i = first;
  if (i == 0) {
    update(0, last, std::min<std::size_t>(1, last));
    i = 2;
  }
  for (; i < last; i += 2) update(i, i - 1, i + 1);
  if (i == last && last > 0) update(last, last - 1, 0);
}

template <class Row>
double BoxLevel::residual_row(const Row& row, const double* f, const double* u, double* out) const {
  const std::size_t last = n_[2] - 1;
  const auto value = [&](std::size_t i, std::size_t lo, std::size_t hi) {
    return (f != nullptr ? f[i] : 0.0) + row.sum(u, i, lo, hi) - row.diagonal(i) * u[i];
  };
  out[0] = value(0, last, std::min<std::size_t>(1, last));
  for (std::size_t i = 1; i < last; ++i) out[i] = value(i, i - 1, i + 1);
  if (last > 0) out[last] = value(last, last - 1, 0);
  double squares = 0;
  for (std::size_t i = 0; i <= last; ++i) squares += out[i] * out[i];
  return squares;
}

void BoxLevel::relax(std::span<const double> f, std::span<double> u, std::size_t first,
                     Threads* threads) const {
  for (const std::size_t color : {first, 1 - first}) {
    for_rows(threads, n_[0] * n_[1], n_[2], [&](std::size_t, IndexRange rows) {
      for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const std::size_t start = (row / n_[1] + row % n_[1] + color) % 2;
        const double* right = f.data() + row * n_[2];
        double* to = u.data() + row * n_[2];
        if (start >= n_[2]) continue;
        if (faces_[2].empty()) {
          relax_row(plain_row(row, u.data()), right, to, start);
        } else {
          relax_row(face_row(row, u.data()), right, to, start);
        }
      }
    });
  }
}

double BoxLevel::residual(std::span<const double> f, std::span<const double> u,
                          std::span<double> out, Threads* threads) const {
  std::vector<double> partial(n_chunks_of(n_[0] * n_[1], n_[2]), 0);
  for_rows(threads, n_[0] * n_[1], n_[2], [&](std::size_t chunk, IndexRange rows) {
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      const std::size_t at = row * n_[2];
      const double* right = f.empty() ? nullptr : f.data() + at;
      partial[chunk] +=
          faces_[2].empty()
              ? residual_row(plain_row(row, u.data()), right, u.data() + at, out.data() + at)
              : residual_row(face_row(row, u.data()), right, u.data() + at, out.data() + at);
    }
  });
  return tree_sum(partial);
}

void BoxLevel::prepare_transfer(const BoxLevel& coarse) {
  coarse_n_ = coarse.n_;
  for (std::size_t k = 0; k < 3; ++k) {
    if (grids_[k].n() > 0) {
      down_[k] = restriction(coarse.grids_[k], grids_[k]);
      up_[k] = interpolation(coarse.grids_[k], grids_[k]);
    } else {
      down_[k] = up_[k] = {1, {0, 1}, {0}, {1.0}};
    }
  }
  transfer_size_ = std::max(n_[0] * n_[1] * coarse.n_[2], coarse.n_[0] * coarse.n_[1] * n_[2]);
}

void BoxLevel::restrict_to(std::span<const double> fine, std::span<double> coarse_f,
                           std::span<double> scratch, Threads* threads) const {
  const std::size_t length = coarse_n_[2];
  for_rows(threads, n_[0] * n_[1], n_[2], [&](std::size_t, IndexRange rows) {
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      contract_row(down_[2], fine.data() + row * n_[2], scratch.data() + row * length);
    }
  });
  for_rows(threads, coarse_n_[0] * coarse_n_[1], 4 * length, [&](std::size_t, IndexRange rows) {
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      double* to = coarse_f.data() + row * length;
      std::fill(to, to + length, 0.0);
      const std::size_t i = row / coarse_n_[1], j = row % coarse_n_[1];
      for (std::size_t a = down_[0].begin[i]; a < down_[0].begin[i + 1]; ++a) {
        for (std::size_t b = down_[1].begin[j]; b < down_[1].begin[j + 1]; ++b) {
          const double w = down_[0].weight[a] * down_[1].weight[b];
          const double* from =
              scratch.data() + (down_[0].index[a] * n_[1] + down_[1].index[b]) * length;
          for (std::size_t k = 0; k < length; ++k) to[k] += w * from[k];
        }
      }
    }
  });
}

void BoxLevel::add_interpolated(std::span<const double> coarse_u, std::span<double> u,
                                std::span<double> scratch, Threads* threads) const {
  const std::size_t length = n_[2];
  for_rows(threads, coarse_n_[0] * coarse_n_[1], length, [&](std::size_t, IndexRange rows) {
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      contract_row(up_[2], coarse_u.data() + row * coarse_n_[2], scratch.data() + row * length);
    }
  });
  for_rows(threads, n_[0] * n_[1], 2 * length, [&](std::size_t, IndexRange rows) {
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      double* to = u.data() + row * length;
      const std::size_t i = row / n_[1], j = row % n_[1];
      for (std::size_t a = up_[0].begin[i]; a < up_[0].begin[i + 1]; ++a) {
        for (std::size_t b = up_[1].begin[j]; b < up_[1].begin[j + 1]; ++b) {
          const double w = up_[0].weight[a] * up_[1].weight[b];
          const double* from =
              scratch.data() + (up_[0].index[a] * coarse_n_[1] + up_[1].index[b]) * length;
          for (std::size_t k = 0; k < length; ++k) to[k] += w * from[k];
        }
      }
    }
  });
}

double BoxLevel::volume(std::size_t node) const {
  double v = 1;
  const std::array<std::size_t, 3> at = {node / (n_[1] * n_[2]), node / n_[2] % n_[1],
                                         node % n_[2]};
  for (std::size_t k = 0; k < 3; ++k) {
    if (grids_[k].n() > 0) v *= grids_[k].w[at[k]];
  }
  return v;
}

double BoxLevel::mean(std::span<const double> v) const {
  const auto width = [&](std::size_t axis, std::size_t i) {
    return grids_[axis].n() > 0 ? grids_[axis].w[i] : 1.0;
  };
  double sum = 0, total = 0;
  for (std::size_t i = 0, at = 0; i < n_[0]; ++i) {
    for (std::size_t j = 0; j < n_[1]; ++j) {
      double row = 0, length = 0;
      for (std::size_t k = 0; k < n_[2]; ++k, ++at) {
        row += width(2, k) * v[at];
        length += width(2, k);
      }
      sum += width(0, i) * width(1, j) * row;
      total += width(0, i) * width(1, j) * length;
    }
  }
  return sum / total;
}

}  // namespace cauchy::detail
