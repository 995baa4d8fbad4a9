// Compiled programs against hand-written loops and the memory.
//   bench_program [--smallest]
//   case=... ms=... hand_ms=... ratio=...   one line per case, medians of alternating runs
//   case=navier-stokes parse_ms=... analyse_ms=... compile_ms=... total_ms=...   from text
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <cauchy/base/cpu.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/program.hpp>
#include <cauchy/expr/vector.hpp>

#include "bench_options.hpp"

// The same loops twice: with the flags of the library, and for AVX-512 with contraction. Not
// inlined, so that they are compiled like loops of another file.
namespace plain {
#include "program_hand_loops.inc"
}  // namespace plain

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#pragma GCC push_options
#pragma GCC optimize("O3", "fp-contract=fast")
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,fma,prefer-vector-width=512")
namespace wide {
#include "program_hand_loops.inc"
}  // namespace wide
#pragma GCC pop_options
#else
namespace wide = plain;
#endif

namespace {

using namespace cauchy;
using Clock = std::chrono::steady_clock;

template <class F>
double milliseconds(F&& f) {
  const auto start = Clock::now();
  f();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

bool has_avx512() { return current_target() == Target::avx512; }

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

/// Medians of several functions, run in turns.
template <class... F>
std::vector<double> alternate(int rounds, F&&... f) {
  std::vector<std::vector<double>> times(sizeof...(F));
  for (int r = 0; r < rounds; ++r) {
    std::size_t i = 0;
    (times[i++].push_back(milliseconds(f)), ...);
  }
  std::vector<double> out;
  for (auto& t : times) out.push_back(median(t));
  return out;
}

ProgramSpec burgers() {
  const Coordinate t("t"), x("x");
  const Field u("u");
  const Parameter nu("nu");
  return {{d(u, t) + u * d(u, x) - nu * d(u, x, x)}, {u, d(u, t), d(u, x), d(u, x, x)}, {nu}, {}};
}

template <class T>
struct Arrays {
  std::vector<std::vector<T>> storage;
  std::vector<T*> rows;
  Arrays(std::size_t n_rows, std::size_t n) : storage(n_rows) {
    for (std::size_t k = 0; k < n_rows; ++k) {
      storage[k].resize(n + 8);
      for (std::size_t i = 0; i < n; ++i) storage[k][i] = T(0.001) * T((i * 7 + k * 13) % 1000);
      rows.push_back(storage[k].data());
    }
  }
};

/// Reads n values so that the compiler cannot drop the loads.
template <class T>
void touch(const T* x, std::size_t n) {
  T total[16] = {};
  for (std::size_t i = 0; i + 16 <= n; i += 16) {
    for (std::size_t j = 0; j < 16; ++j) total[j] += x[i + j];
  }
  volatile T sink = total[0] + total[5];
  (void)sink;
}

/// Every output row is written once while every input row is read once, by plain copies.
template <class T>
void copy_bytes(const std::vector<T*>& in, const std::vector<T*>& out, std::size_t n) {
  for (std::size_t offset = 0; offset < n; offset += 512) {
    const std::size_t m = std::min<std::size_t>(512, n - offset);
    for (std::size_t k = 0; k < std::max(in.size(), out.size()); ++k) {
      if (k < in.size() && k < out.size()) {
        std::memcpy(out[k] + offset, in[k] + offset, m * sizeof(T));
      } else if (k < in.size()) {
        touch(in[k] + offset, m);
      } else {
        std::memcpy(out[k] + offset, in[0] + offset, m * sizeof(T));
      }
    }
  }
}

template <class T>
void run_case(const std::string& name, const ProgramSpec& spec, std::size_t n, int repeat,
              void (*hand)(std::size_t, const T* const*, T, T* const*, double*),
              void (*hand_512)(std::size_t, const T* const*, T, T* const*, double*)) {
  const Program<T> program(spec);
  Arrays<T> in(spec.inputs.size(), n), out(spec.outputs.size(), n);
  std::vector<T> work(program.workspace_size());
  const T nu = T(0.01);
  double sums[4] = {};
  const auto times = alternate(
      25,
      [&] {
        for (int r = 0; r < repeat; ++r) {
          program.run(n, in.rows.data(), &nu, out.rows.data(), sums, work.data());
        }
      },
      [&] {
        for (int r = 0; r < repeat; ++r) hand(n, in.rows.data(), nu, out.rows.data(), sums);
      },
      [&] {
        for (int r = 0; r < repeat; ++r) hand_512(n, in.rows.data(), nu, out.rows.data(), sums);
      },
      [&] {
        for (int r = 0; r < repeat; ++r) copy_bytes(in.rows, out.rows, n);
      });
  const double scale = 1.0 / repeat;
  fmt::print(
      "case={} dtype={} n={} ms={:.6f} hand_ms={:.6f} ratio={:.2f} hand_avx512_ms={:.6f} "
      "ratio_avx512={:.2f} copy_ms={:.6f} ratio_copy={:.2f} instructions={}\n",
      name, sizeof(T) == 4 ? "f32" : "f64", n, times[0] * scale, times[1] * scale,
      times[0] / times[1], times[2] * scale, times[0] / times[2], times[3] * scale,
      times[0] / times[3], program.n_instructions());
}

template <class T>
void run_burgers(std::size_t n, int repeat) {
  run_case<T>("burgers", burgers(), n, repeat, plain::residual<T>,
              has_avx512() ? wide::residual<T> : plain::residual<T>);
  run_case<T>("burgers_adjoint", reverse_spec(burgers()), n, repeat, plain::adjoint<T>,
              has_avx512() ? wide::adjoint<T> : plain::adjoint<T>);
}

/// Momentum equations u_t + (u.grad)u + grad(p)/rho - nu*laplacian(u), and their reverse program.
void compile_navier_stokes() {
  std::vector<double> build, compile;
  std::size_t n_forward = 0, n_reverse = 0;
  for (int r = 0; r < 20; ++r) {
    ProgramSpec forward, reverse;
    build.push_back(milliseconds([&] {
      const Coordinate t("t"), x("x"), y("y"), z("z");
      const Space space{x, y, z};
      const Field u("u"), v("v"), w("w"), p("p");
      const Parameter nu("nu"), rho("rho");
      const Vector velocity{u, v, w};
      forward.parameters = {nu, rho};
      for (std::size_t i = 0; i < 3; ++i) {
        forward.outputs.push_back(d(velocity[i], t) + dot(velocity, grad(velocity[i], space)) +
                                  d(p, space[i]) / rho - nu * laplacian(velocity[i], space));
      }
      for (const Expr& e : postorder(forward.outputs)) {
        if (e.kind() == Kind::field) forward.inputs.push_back(e);
      }
      reverse = reverse_spec(forward);
    }));
    compile.push_back(milliseconds([&] {
      const Program<double> f(forward), b(reverse);
      n_forward = f.n_instructions();
      n_reverse = b.n_instructions();
    }));
  }
  fmt::print(
      "case=navier_stokes_3d differentiate_ms={:.3f} compile_ms={:.3f} instructions={} "
      "reverse_instructions={}\n",
      median(build), median(compile), n_forward, n_reverse);
}

/// Incompressible Navier-Stokes in three dimensions from text to programs: what stands between a
/// problem file and the first evaluation. The bar is 20 ms in all.
void read_navier_stokes() {
  std::vector<double> parsing, analysing, compiling, total;
  std::size_t n_atoms = 0, n_instructions = 0;
  int highest = 0, linear = 0, parabolic = 0, elliptic = 0;
  for (int r = 0; r < 20; ++r) {
    std::vector<Expr> residuals;
    parsing.push_back(milliseconds([&] {
      Context context;
      context.add_time("t").add_space("x").add_space("y").add_space("z");
      context.add_field("u").add_field("v").add_field("w").add_field("p");
      context.add_parameter("nu").add_parameter("rho");
      for (const char* text :
           {"u_t + u*u_x + v*u_y + w*u_z = -p_x/rho + nu*laplacian(u)",
            "v_t + u*v_x + v*v_y + w*v_z = -p_y/rho + nu*laplacian(v)",
            "w_t + u*w_x + v*w_y + w*w_z = -p_z/rho + nu*laplacian(w)", "div([u, v, w]) = 0"}) {
        residuals.push_back(parse_equation(text, context).residual());
      }
    }));
    std::vector<Expr> fields;
    analysing.push_back(milliseconds([&] {
      const std::vector<Expr> coordinates{Coordinate("t"), Coordinate("x"), Coordinate("y"),
                                          Coordinate("z")};
      const std::vector<Expr> space(coordinates.begin() + 1, coordinates.end());
      const Field velocity[] = {Field("u"), Field("v"), Field("w")};
      Values values;
      values.set(Parameter("nu"), 0.01).set(Parameter("rho"), 1.0);
      highest = linear = parabolic = elliptic = 0;
      fields = field_atoms(residuals);
      for (const Expr& e : residuals) {
        highest = std::max(highest, order(e));
        linear += linear_form(e).linear ? 1 : 0;
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const PdeType type = classify(residuals[i], velocity[i], coordinates, values);
        parabolic += type == PdeType::parabolic ? 1 : 0;
        const PdeType steady = classify(residuals[i], velocity[i], space, values);
        elliptic += steady == PdeType::elliptic ? 1 : 0;
      }
    }));
    n_atoms = fields.size();
    compiling.push_back(milliseconds([&] {
      const ProgramSpec spec{residuals, fields, {Parameter("nu"), Parameter("rho")}, {}};
      const Program<double> forward(spec), reverse(reverse_spec(spec));
      n_instructions = forward.n_instructions() + reverse.n_instructions();
    }));
    total.push_back(parsing.back() + analysing.back() + compiling.back());
  }
  // The first round pays for cold caches and an empty table of nodes, as a user does.
  fmt::print(
      "case=navier-stokes parse_ms={:.3f} analyse_ms={:.3f} compile_ms={:.3f} total_ms={:.3f} "
      "first_total_ms={:.3f} atoms={} order={} linear={} parabolic={} elliptic={} "
      "instructions={}\n",
      median(parsing), median(analysing), median(compiling), median(total), total.front(), n_atoms,
      highest, linear, parabolic, elliptic, n_instructions);
}

}  // namespace

int main(int argc, char** argv) {
  const bool smallest = bench::take_smallest(argc, argv);
  fmt::print("target={}\n", to_string(current_target()));
  read_navier_stokes();
  if (!smallest) {
    run_burgers<double>(1'000'000, 1);
    run_burgers<float>(1'000'000, 1);
    run_burgers<double>(512, 2000);
  }
  run_burgers<double>(64, smallest ? 1 : 5000);
  run_burgers<float>(64, smallest ? 1 : 5000);
  compile_navier_stokes();
}
