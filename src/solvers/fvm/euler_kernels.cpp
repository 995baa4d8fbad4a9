// Loops of the Euler equations in SIMD, compiled once per instruction set.
#include "solvers/fvm/euler_kernels.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solvers/fvm/euler_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace euler {

namespace hn = hwy::HWY_NAMESPACE;
using Full = hn::CappedTag<double, 8>;
using One = hn::CappedTag<double, 1>;

/// Calls body(tag, i) for whole vectors, then for single numbers.
template <class Body>
HWY_INLINE void for_lanes(size_t n, const Body& body) {
  const Full full;
  const size_t lanes = hn::Lanes(full);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) body(full, i);
  for (; i < n; ++i) body(One(), i);
}

void states(size_t n, double gamma, const double* const* q, double* const* six) {
  const double *q0 = q[0], *q1 = q[1], *q2 = q[2], *q3 = q[3];
  double *rho = six[0], *u = six[1], *v = six[2], *p = six[3], *e = six[4], *a = six[5];
  for_lanes(n, [&](auto d, size_t i) HWY_ATTR {
    const auto r = hn::LoadU(d, q0 + i), m = hn::LoadU(d, q1 + i), k = hn::LoadU(d, q2 + i);
    const auto energy = hn::LoadU(d, q3 + i);
    const auto per = hn::Div(hn::Set(d, 1.0), r);
    const auto vx = hn::Mul(m, per), vy = hn::Mul(k, per);
    const auto kinetic = hn::Mul(hn::Set(d, 0.5), hn::MulAdd(m, vx, hn::Mul(k, vy)));
    const auto pressure = hn::Mul(hn::Set(d, gamma - 1), hn::Sub(energy, kinetic));
    hn::StoreU(r, d, rho + i);
    hn::StoreU(vx, d, u + i);
    hn::StoreU(vy, d, v + i);
    hn::StoreU(pressure, d, p + i);
    hn::StoreU(energy, d, e + i);
    hn::StoreU(hn::Sqrt(hn::Mul(hn::Mul(hn::Set(d, gamma), pressure), per)), d, a + i);
  });
}

/// Rusanov's flux in registers.
template <class D, class V>
HWY_INLINE void rusanov(D d, size_t i, const V (&l)[6], const V (&r)[6], double* const* flux) {
  const V half = hn::Set(d, 0.5);
  const V s = hn::Mul(half, hn::Max(hn::Add(hn::Abs(l[1]), l[5]), hn::Add(hn::Abs(r[1]), r[5])));
  const V ml = hn::Mul(l[0], l[1]), mr = hn::Mul(r[0], r[1]);
  const auto put = [&](int k, V fl, V fr, V ql, V qr) HWY_ATTR {
    const V mean = hn::Mul(half, hn::Add(fl, fr));
    hn::StoreU(hn::NegMulAdd(s, hn::Sub(qr, ql), mean), d, flux[k] + i);
  };
  put(0, ml, mr, l[0], r[0]);
  put(1, hn::MulAdd(ml, l[1], l[3]), hn::MulAdd(mr, r[1], r[3]), ml, mr);
  put(2, hn::Mul(ml, l[2]), hn::Mul(mr, r[2]), hn::Mul(l[0], l[2]), hn::Mul(r[0], r[2]));
  put(3, hn::Mul(hn::Add(l[4], l[3]), l[1]), hn::Mul(hn::Add(r[4], r[3]), r[1]), l[4], r[4]);
}

void flux_of_six(size_t n, const double* const* left, const double* const* right,
                 double* const* flux) {
  for_lanes(n, [&](auto d, size_t i) HWY_ATTR {
    hn::Vec<decltype(d)> l[6], r[6];
    for (int k = 0; k < 6; ++k) {
      l[k] = hn::LoadU(d, left[k] + i);
      r[k] = hn::LoadU(d, right[k] + i);
    }
    rusanov(d, i, l, r, flux);
  });
}

void flux_of_four(size_t n, double gamma, const double* const* left, const double* const* right,
                  double* const* flux) {
  for_lanes(n, [&](auto d, size_t i) HWY_ATTR {
    hn::Vec<decltype(d)> sides[2][6];
    for (int side = 0; side < 2; ++side) {
      auto& w = sides[side];
      for (int k = 0; k < 4; ++k) w[k] = hn::LoadU(d, (side == 0 ? left : right)[k] + i);
      const auto speed = hn::MulAdd(w[1], w[1], hn::Mul(w[2], w[2]));
      w[4] = hn::MulAdd(hn::Set(d, 1 / (gamma - 1)), w[3],
                        hn::Mul(hn::Mul(hn::Set(d, 0.5), w[0]), speed));
      w[5] = hn::Sqrt(hn::Div(hn::Mul(hn::Set(d, gamma), w[3]), w[0]));
    }
    rusanov(d, i, sides[0], sides[1], flux);
  });
}

void predict(size_t n, double gamma, double cx, double cy, const double* const* before,
             const double* const* w, const double* const* after, double* const* to) {
  for_lanes(n, [&](auto d, size_t i) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    const V half = hn::Set(d, 0.5);
    V c[4], x[4], y[4], ahead[4];  // state, differences over a cell along x and y
    for (int k = 0; k < 4; ++k) {
      c[k] = hn::LoadU(d, w[k] + i);
      x[k] = hn::Mul(half, hn::Sub(hn::LoadU(d, after[k] + i), hn::LoadU(d, before[k] + i)));
      y[k] = hn::Mul(half, hn::Sub(hn::LoadU(d, w[k] + i + 1), hn::LoadU(d, w[k] + i - 1)));
    }
    const V ax = hn::Set(d, cx), ay = hn::Set(d, cy), per = hn::Div(hn::Set(d, 1.0), c[0]);
    const V spread = hn::MulAdd(ax, x[1], hn::Mul(ay, y[2]));
    const V ux = hn::Mul(ax, c[1]), vy = hn::Mul(ay, c[2]);
    const auto carried = [&](int k) HWY_ATTR { return hn::MulAdd(ux, x[k], hn::Mul(vy, y[k])); };
    ahead[0] = hn::Sub(c[0], hn::MulAdd(c[0], spread, carried(0)));
    ahead[1] = hn::Sub(c[1], hn::MulAdd(hn::Mul(ax, per), x[3], carried(1)));
    ahead[2] = hn::Sub(c[2], hn::MulAdd(hn::Mul(ay, per), y[3], carried(2)));
    ahead[3] = hn::Sub(c[3], hn::MulAdd(hn::Mul(hn::Set(d, gamma), c[3]), spread, carried(3)));
    for (int k = 0; k < 4; ++k) {
      hn::StoreU(hn::NegMulAdd(half, x[k], ahead[k]), d, to[k] + i);
      hn::StoreU(hn::MulAdd(half, x[k], ahead[k]), d, to[4 + k] + i);
      hn::StoreU(hn::NegMulAdd(half, y[k], ahead[k]), d, to[8 + k] + i);
      hn::StoreU(hn::MulAdd(half, y[k], ahead[k]), d, to[12 + k] + i);
    }
  });
}

void update(size_t n, double cx, double cy, const double* const* q, const double* const* x_low,
            const double* const* x_high, const double* const* y, double* const* out) {
  for (int k = 0; k < 4; ++k) {
    const double *now = q[k], *low = x_low[k], *high = x_high[k], *side = y[k];
    double* to = out[k];
    for_lanes(n, [&](auto d, size_t i) HWY_ATTR {
      const auto dx = hn::Sub(hn::LoadU(d, high + i), hn::LoadU(d, low + i));
      const auto dy = hn::Sub(hn::LoadU(d, side + i + 1), hn::LoadU(d, side + i));
      const auto change = hn::MulAdd(hn::Set(d, cx), dx, hn::Mul(hn::Set(d, cy), dy));
      hn::StoreU(hn::Sub(hn::LoadU(d, now + i), change), d, to + i);
    });
  }
}

double rate(size_t n, double gamma, double per_x, double per_y, const double* const* q) {
  const Full full;
  auto most = hn::Zero(full);
  auto bad = hn::Zero(full);
  double last = 0;
  bool fails = false;
  const auto at = [&](auto d, size_t i, auto& ill) HWY_ATTR {
    const auto r = hn::LoadU(d, q[0] + i), m = hn::LoadU(d, q[1] + i), k = hn::LoadU(d, q[2] + i);
    const auto per = hn::Div(hn::Set(d, 1.0), r);
    const auto u = hn::Mul(m, per), v = hn::Mul(k, per);
    const auto kinetic = hn::Mul(hn::Set(d, 0.5), hn::MulAdd(m, u, hn::Mul(k, v)));
    const auto p = hn::Mul(hn::Set(d, gamma - 1), hn::Sub(hn::LoadU(d, q[3] + i), kinetic));
    const auto a = hn::Sqrt(hn::Mul(hn::Mul(hn::Set(d, gamma), p), per));
    const auto zero = hn::Zero(d);
    const auto good = hn::And(hn::Gt(r, zero), hn::Gt(p, zero));
    ill = hn::IfThenElse(good, ill, hn::Set(d, 1.0));
    return hn::IfThenElse(good,
                          hn::MulAdd(hn::Set(d, per_x), hn::Add(hn::Abs(u), a),
                                     hn::Mul(hn::Set(d, per_y), hn::Add(hn::Abs(v), a))),
                          zero);
  };
  const size_t lanes = hn::Lanes(full);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) most = hn::Max(most, at(full, i, bad));
  for (; i < n; ++i) {
    const One one;
    auto ill = hn::Zero(one);
    const double here = hn::GetLane(at(one, i, ill));
    last = HWY_MAX(last, here);
    fails = fails || hn::GetLane(ill) != 0;
  }
  fails = fails || hn::GetLane(hn::MaxOfLanes(full, bad)) != 0;
  const double widest = hn::GetLane(hn::MaxOfLanes(full, most));
  last = HWY_MAX(last, widest);
  return fails ? std::nan("") : last;
}

}  // namespace euler

detail::EulerKernels euler_table() {
  return {euler::states,  euler::flux_of_six, euler::flux_of_four,
          euler::predict, euler::update,      euler::rate};
}

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cauchy {
HWY_EXPORT(euler_table);
namespace detail {

EulerKernels euler_kernels() { return HWY_DYNAMIC_DISPATCH(euler_table)(); }

}  // namespace detail
}  // namespace cauchy
#endif
