#include "engine/basis_code.hpp"

#include <fmt/format.h>

namespace cauchy::detail {

std::string polynomials_code(std::span<const std::array<double, 3>> steps) {
  std::string table;
  for (const auto& [a, b, c] : steps) table += fmt::format("{{{}, {}, {}}}, ", a, b, c);
  if (table.empty()) table = "{0, 0, 0}";
  return fmt::format(R"(  constexpr int n = {};  // p_(i+1) = (a x + b) p_i - c p_(i-1)
  static constexpr double steps[][3] = {{{}}};
  for (int k = 0; k <= order; ++k) out[k * n] = k == 0 ? 1 : 0;
  for (int i = 0; i + 1 < n; ++i) {{
    const double a = steps[i][0], b = steps[i][1], c = steps[i][2];
    for (int k = 0; k <= order; ++k) {{
      double* p = out + k * n + i;
      p[1] = (a * x + b) * p[0] - (i > 0 ? c * p[-1] : 0) + (k > 0 ? k * a * p[-n] : 0);
    }}
  }}
)",
                     steps.size() + 1, table);
}

std::string splines_code(std::span<const double> knots, int degree) {
  const auto p = static_cast<std::size_t>(degree);
  std::vector<double> padded(p, knots.front());
  padded.insert(padded.end(), knots.begin(), knots.end());
  padded.insert(padded.end(), p, knots.back());
  // Function i of degree q is not 0 on span s for s - q <= i <= s; v[j] is function s - q + j.
  return fmt::format(R"(  constexpr int p = {}, n = {}, last = {};  // degree, functions, last knot
  static constexpr double t[] = {{{}}};
  for (int i = 0; i < (order + 1) * n; ++i) out[i] = x == x ? 0 : x;
  if (!(x >= t[0] && x <= t[last])) return;
  int s = p;
  while (s + 1 < last - p && x >= t[s + 1]) ++s;
  while (s > p && t[s] == t[last]) --s;
  const auto quotient = [](double a, double b) {{ return b > 0 ? a / b : 0; }};
  for (int k = 0; k <= order && k <= p; ++k) {{
    double v[p + 1] = {{1}};
    for (int q = 1; q <= p; ++q) {{
      for (int j = q; j >= 0; --j) {{
        const int i = s - q + j;
        const double left = j > 0 ? quotient(v[j - 1], t[i + q] - t[i]) : 0;
        const double right = j < q ? quotient(v[j], t[i + q + 1] - t[i + 1]) : 0;
        v[j] = q > p - k ? q * (left - right) : (x - t[i]) * left + (t[i + q + 1] - x) * right;
      }}
    }}
    for (int j = 0; j <= p; ++j) {{
      const int i = s - 2 * p + j;
      if (i >= 0 && i < n) out[k * n + i] = v[j];
    }}
  }}
)",
                     degree, knots.size() - p - 1, padded.size() - 1, fmt::join(padded, ", "));
}

std::string gaussians_code(std::span<const double> centres, double width) {
  return fmt::format(R"(  constexpr int n = {};
  constexpr double width = {};
  static constexpr double centres[] = {{{}}};
  for (int j = 0; j < n; ++j) {{
    const double z = std::fmax(-1e100, std::fmin(1e100, (x - centres[j]) / width));
    double before = 0, now = x == x ? std::exp(-z * z) : x;  // f' = -2 z / width f
    for (int k = 0; k <= order; ++k) {{
      out[k * n + j] = now;
      const double next = -2 / width * (z * now + k / width * before);
      before = now;
      now = next;
    }}
  }}
)",
                     centres.size(), width, fmt::join(centres, ", "));
}

}  // namespace cauchy::detail
