// The instructions of a program as SIMD loops, compiled once per instruction set.
#include <cstddef>
#include <cstring>

#include "expr/program_code.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expr/program_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "math/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cauchy::HWY_NAMESPACE {
namespace program {

namespace hn = hwy::HWY_NAMESPACE;
using detail::Instruction;
using detail::max_lanes;
using detail::n_ops;
using detail::OperandSpace;
using detail::Place;
using detail::ProgramOp;
using detail::RunState;

/// Whole vectors of at most 64 bytes.
template <class T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;

/// Results y (and z of sin_cos), operands a, b, c: rows, or one number where the operand is scalar.
template <class T>
struct Rows {
  T* y;
  T* z;
  const T* args[3];
};

/// n is a positive multiple of the vector length. Results may be the same rows as operands.
template <class T>
using Kernel = void (*)(const Rows<T>& rows, size_t n);

#define CAUCHY_OPERATION_1(NAME, EXPRESSION)             \
  struct NAME {                                          \
    template <class D, class V>                          \
    HWY_INLINE V operator()([[maybe_unused]] D d, V a) { \
      return EXPRESSION;                                 \
    }                                                    \
  };
#define CAUCHY_OPERATION_2(NAME, EXPRESSION)                  \
  struct NAME {                                               \
    template <class D, class V>                               \
    HWY_INLINE V operator()([[maybe_unused]] D d, V a, V b) { \
      return EXPRESSION;                                      \
    }                                                         \
  };
#define CAUCHY_OPERATION_3(NAME, EXPRESSION)                       \
  struct NAME {                                                    \
    template <class D, class V>                                    \
    HWY_INLINE V operator()([[maybe_unused]] D d, V a, V b, V c) { \
      return EXPRESSION;                                           \
    }                                                              \
  };

CAUCHY_OPERATION_1(CopyOf, a)
CAUCHY_OPERATION_1(SquareRoot, hn::Sqrt(a))
CAUCHY_OPERATION_1(ExpOf, Exp(d, a))
CAUCHY_OPERATION_1(LogOf, Log(d, a))
CAUCHY_OPERATION_1(SinOf, Sin(d, a))
CAUCHY_OPERATION_1(CosOf, Cos(d, a))
CAUCHY_OPERATION_1(TanOf, Tan(d, a))
CAUCHY_OPERATION_1(AsinOf, Asin(d, a))
CAUCHY_OPERATION_1(AcosOf, Acos(d, a))
CAUCHY_OPERATION_1(AtanOf, Atan(d, a))
CAUCHY_OPERATION_1(SinhOf, Sinh(d, a))
CAUCHY_OPERATION_1(CoshOf, Cosh(d, a))
CAUCHY_OPERATION_1(TanhOf, Tanh(d, a))
CAUCHY_OPERATION_1(ErfOf, Erf(d, a))
CAUCHY_OPERATION_1(AbsOf, hn::Abs(a))
CAUCHY_OPERATION_1(FloorOf, hn::Floor(a))

/// Keeps zero and NaN.
struct SignOf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a) {
    const V one = hn::Set(d, hn::TFromD<D>(1));
    const V zero = hn::Zero(d);
    const V negative = hn::IfThenElse(hn::Lt(a, zero), hn::Neg(one), a);
    return hn::IfThenElse(hn::Gt(a, zero), one, negative);
  }
};

CAUCHY_OPERATION_2(Sum, hn::Add(a, b))
CAUCHY_OPERATION_2(Difference, hn::Sub(a, b))
CAUCHY_OPERATION_2(Product, hn::Mul(a, b))
CAUCHY_OPERATION_2(Ratio, hn::Div(a, b))
CAUCHY_OPERATION_2(PowerOf, Pow(d, a, b))
// The second operand where the comparison is false, also for NaN: the convention of evaluate().
CAUCHY_OPERATION_2(Smaller, hn::IfThenElse(hn::Lt(a, b), a, b))
CAUCHY_OPERATION_2(Larger, hn::IfThenElse(hn::Gt(a, b), a, b))
CAUCHY_OPERATION_2(IsLess, hn::IfThenElseZero(hn::Lt(a, b), hn::Set(d, hn::TFromD<D>(1))))
CAUCHY_OPERATION_2(IsLessEqual, hn::IfThenElseZero(hn::Le(a, b), hn::Set(d, hn::TFromD<D>(1))))

/// a - b*floor(a/b), between 0 and b.
struct Remainder {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b) {
    const V r = hn::NegMulAdd(b, hn::Floor(hn::Div(a, b)), a);
    return hn::IfThenElse(hn::Lt(hn::Mul(r, b), hn::Zero(d)), hn::Add(r, b), r);
  }
};

CAUCHY_OPERATION_3(MultiplyAdd, hn::MulAdd(a, b, c))
CAUCHY_OPERATION_3(MultiplySubtract, hn::MulSub(a, b, c))
CAUCHY_OPERATION_3(NegativeMultiplyAdd, hn::NegMulAdd(a, b, c))
CAUCHY_OPERATION_3(Where, hn::IfThenElse(hn::Eq(a, hn::Zero(d)), c, b))

#undef CAUCHY_OPERATION_1
#undef CAUCHY_OPERATION_2
#undef CAUCHY_OPERATION_3

/// Operand i of kScalars: broadcast before the loop, or loaded at each step.
template <bool kScalar, class D, class V>
HWY_INLINE V fetch(D d, const hn::TFromD<D>* row, size_t i, V broadcast) {
  if constexpr (kScalar) {
    return broadcast;
  } else {
    return hn::LoadU(d, row + i);
  }
}
template <bool kScalar, class D>
HWY_INLINE hn::Vec<D> broadcast(D d, const hn::TFromD<D>* number) {
  return kScalar ? hn::Set(d, *number) : hn::Zero(d);
}

template <class F, unsigned kScalars, class T>
void unary(const Rows<T>& rows, size_t n) {
  const Tag<T> d;
  T* y = rows.y;
  const T* a = rows.args[0];
  const auto sa = broadcast<(kScalars & 1) != 0>(d, a);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    hn::StoreU(F()(d, fetch<(kScalars & 1) != 0>(d, a, i, sa)), d, y + i);
  }
}

template <class F, unsigned kScalars, class T>
void binary(const Rows<T>& rows, size_t n) {
  constexpr bool s0 = (kScalars & 1) != 0, s1 = (kScalars & 2) != 0;
  const Tag<T> d;
  T* y = rows.y;
  const T* a = rows.args[0];
  const T* b = rows.args[1];
  const auto sa = broadcast<s0>(d, a);
  const auto sb = broadcast<s1>(d, b);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    hn::StoreU(F()(d, fetch<s0>(d, a, i, sa), fetch<s1>(d, b, i, sb)), d, y + i);
  }
}

template <class F, unsigned kScalars, class T>
void ternary(const Rows<T>& rows, size_t n) {
  constexpr bool s0 = (kScalars & 1) != 0, s1 = (kScalars & 2) != 0, s2 = (kScalars & 4) != 0;
  const Tag<T> d;
  T* y = rows.y;
  const T* a = rows.args[0];
  const T* b = rows.args[1];
  const T* c = rows.args[2];
  const auto sa = broadcast<s0>(d, a);
  const auto sb = broadcast<s1>(d, b);
  const auto sc = broadcast<s2>(d, c);
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto va = fetch<s0>(d, a, i, sa);
    const auto vb = fetch<s1>(d, b, i, sb);
    hn::StoreU(F()(d, va, vb, fetch<s2>(d, c, i, sc)), d, y + i);
  }
}

template <class T>
void sine_and_cosine(const Rows<T>& rows, size_t n) {
  const Tag<T> d;
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    auto sine = hn::Zero(d), cosine = hn::Zero(d);
    SinCos(d, hn::LoadU(d, rows.args[0] + i), sine, cosine);
    hn::StoreU(sine, d, rows.y + i);
    hn::StoreU(cosine, d, rows.z + i);
  }
}

/// Kernels by operation and by which operands are scalars.
template <class T>
struct KernelTable {
  Kernel<T> of[n_ops][8] = {};

  constexpr KernelTable() {
    add_unary<CopyOf>(ProgramOp::copy);
    row(ProgramOp::copy)[1] = unary<CopyOf, 1, T>;
    add_unary<SquareRoot>(ProgramOp::square_root);
    add_unary<ExpOf>(ProgramOp::exp);
    add_unary<LogOf>(ProgramOp::log);
    add_unary<SinOf>(ProgramOp::sin);
    add_unary<CosOf>(ProgramOp::cos);
    add_unary<TanOf>(ProgramOp::tan);
    add_unary<AsinOf>(ProgramOp::asin);
    add_unary<AcosOf>(ProgramOp::acos);
    add_unary<AtanOf>(ProgramOp::atan);
    add_unary<SinhOf>(ProgramOp::sinh);
    add_unary<CoshOf>(ProgramOp::cosh);
    add_unary<TanhOf>(ProgramOp::tanh);
    add_unary<ErfOf>(ProgramOp::erf);
    add_unary<AbsOf>(ProgramOp::abs);
    add_unary<SignOf>(ProgramOp::sign);
    add_unary<FloorOf>(ProgramOp::floor);
    row(ProgramOp::sin_cos)[0] = sine_and_cosine<T>;
    add_binary<Sum>(ProgramOp::add);
    add_binary<Difference>(ProgramOp::subtract);
    add_binary<Product>(ProgramOp::multiply);
    add_binary<Ratio>(ProgramOp::divide);
    add_binary<PowerOf>(ProgramOp::power);
    add_binary<Smaller>(ProgramOp::min);
    add_binary<Larger>(ProgramOp::max);
    add_binary<Remainder>(ProgramOp::mod);
    add_binary<IsLess>(ProgramOp::less);
    add_binary<IsLessEqual>(ProgramOp::less_equal);
    add_fused<MultiplyAdd>(ProgramOp::multiply_add);
    add_fused<MultiplySubtract>(ProgramOp::multiply_subtract);
    add_fused<NegativeMultiplyAdd>(ProgramOp::negative_multiply_add);
    add_fused<Where>(ProgramOp::where);
    row(ProgramOp::where)[2] = ternary<Where, 2, T>;
    row(ProgramOp::where)[3] = ternary<Where, 3, T>;
    row(ProgramOp::where)[6] = ternary<Where, 6, T>;
  }

 private:
  constexpr Kernel<T>* row(ProgramOp op) { return of[static_cast<size_t>(op)]; }
  template <class F>
  constexpr void add_unary(ProgramOp op) {
    row(op)[0] = unary<F, 0, T>;
  }
  template <class F>
  constexpr void add_binary(ProgramOp op) {
    row(op)[0] = binary<F, 0, T>;
    row(op)[1] = binary<F, 1, T>;
    row(op)[2] = binary<F, 2, T>;
  }
  /// A scalar factor stands first, so that bit 1 does not occur.
  template <class F>
  constexpr void add_fused(ProgramOp op) {
    row(op)[0] = ternary<F, 0, T>;
    row(op)[1] = ternary<F, 1, T>;
    row(op)[4] = ternary<F, 4, T>;
    row(op)[5] = ternary<F, 5, T>;
  }
};

template <class T>
constexpr KernelTable<T> kernels{};

/// totals[j] += a[i] (times b[i]) for all i with (first + i) mod max_lanes = j, in the order of i:
/// the same additions for every vector length.
template <bool kDot, class T>
void accumulate(const T* a, const T* b, size_t first, size_t n, double* HWY_RESTRICT totals) {
  const hn::CappedTag<double, max_lanes / 2> d;
  const hn::Rebind<T, decltype(d)> dt;
  size_t i = 0;
  if (first % max_lanes == 0) {
    i = n - n % max_lanes;
    for (size_t j = 0; j < max_lanes; j += hn::Lanes(d)) {
      auto total = hn::LoadU(d, totals + j);
      for (size_t k = j; k < i; k += max_lanes) {
        auto term = hn::LoadU(dt, a + k);
        if constexpr (kDot) term = hn::Mul(term, hn::LoadU(dt, b + k));
        if constexpr (sizeof(T) == sizeof(double)) {
          total = hn::Add(total, term);
        } else {
          total = hn::Add(total, hn::PromoteTo(d, term));
        }
      }
      hn::StoreU(total, d, totals + j);
    }
  }
  for (; i < n; ++i) {
    const T term = kDot ? a[i] * b[i] : a[i];
    totals[(first + i) % max_lanes] += static_cast<double>(term);
  }
}

/// The same for a scalar.
template <class T>
void accumulate_scalar(const T* a, size_t first, size_t n, double* totals) {
  for (size_t i = 0; i < n; ++i) totals[(first + i) % max_lanes] += static_cast<double>(*a);
}

template <bool kTail, class T>
HWY_INLINE T* locate(const RunState<T>& s, Place p, size_t offset) {
  switch (p.space) {
    case OperandSpace::input:
      return kTail ? s.tail + p.index * max_lanes : const_cast<T*>(s.inputs[p.index]) + offset;
    case OperandSpace::output:
      return kTail ? s.tail + (s.n_inputs + p.index) * max_lanes : s.outputs[p.index] + offset;
    case OperandSpace::work:
      return s.rows + p.index * s.chunk;
    case OperandSpace::parameter:
      return const_cast<T*>(s.parameters) + p.index;
    case OperandSpace::constant:
      return const_cast<T*>(s.constants) + p.index;
    case OperandSpace::scalar:
      return const_cast<T*>(s.scalars) + p.index;
    default:
      return nullptr;
  }
}

/// All instructions on the points offset ... offset + n; n_valid of them count in sums.
template <bool kTail, class T>
void execute(const RunState<T>& s, size_t offset, size_t n, size_t n_valid) {
  Rows<T> rows{};
  for (const Instruction* in = s.first; in != s.last; ++in) {
    rows.args[0] = locate<kTail>(s, in->args[0], offset);
    rows.args[1] = locate<kTail>(s, in->args[1], offset);
    if (in->op == ProgramOp::sum || in->op == ProgramOp::dot) {
      double* totals = s.totals + in->result.index * max_lanes;
      if (in->scalars != 0) {
        accumulate_scalar(rows.args[0], offset, n_valid, totals);
      } else if (in->op == ProgramOp::sum) {
        accumulate<false>(rows.args[0], rows.args[1], offset, n_valid, totals);
      } else {
        accumulate<true>(rows.args[0], rows.args[1], offset, n_valid, totals);
      }
      continue;
    }
    rows.args[2] = locate<kTail>(s, in->args[2], offset);
    rows.y = locate<kTail>(s, in->result, offset);
    rows.z = locate<kTail>(s, in->second, offset);
    kernels<T>.of[static_cast<size_t>(in->op)][in->scalars](rows, n);
  }
}

/// The last points, fewer than a vector, on copies; unused lanes repeat the last point.
template <class T>
void execute_tail(const RunState<T>& s, size_t offset, size_t lanes) {
  const size_t n = s.n_points - offset;
  for (size_t k = 0; k < s.n_used_inputs; ++k) {
    const size_t index = s.used_inputs[k];
    const T* row = s.inputs[index] + offset;
    T* copy = s.tail + index * max_lanes;
    for (size_t i = 0; i < lanes; ++i) copy[i] = row[i < n ? i : n - 1];
  }
  execute<true>(s, offset, lanes, n);
  for (size_t k = 0; k < s.n_outputs; ++k) {
    std::memcpy(s.outputs[k] + offset, s.tail + (s.n_inputs + k) * max_lanes, n * sizeof(T));
  }
}

template <class T>
void run(const RunState<T>& s) {
  const size_t lanes = hn::Lanes(Tag<T>());
  const size_t n_whole = s.n_points - s.n_points % lanes;
  for (size_t offset = 0; offset < n_whole; offset += s.chunk) {
    const size_t n = HWY_MIN(s.chunk, n_whole - offset);
    execute<false>(s, offset, n, n);
  }
  if (n_whole < s.n_points) execute_tail(s, n_whole, lanes);
}

}  // namespace program

void run_program_f32(const detail::RunState<float>& s) { program::run(s); }
void run_program_f64(const detail::RunState<double>& s) { program::run(s); }

}  // namespace cauchy::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cauchy {
HWY_EXPORT(run_program_f32);
HWY_EXPORT(run_program_f64);
namespace detail {

void run_body(const RunState<float>& state) { HWY_DYNAMIC_DISPATCH(run_program_f32)(state); }
void run_body(const RunState<double>& state) { HWY_DYNAMIC_DISPATCH(run_program_f64)(state); }

}  // namespace detail
}  // namespace cauchy
#endif
