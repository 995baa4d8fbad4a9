#include <fmt/format.h>

#include <algorithm>
#include <cauchy/report/ticks.hpp>
#include <cmath>
#include <limits>

namespace cauchy {
namespace {

std::string superscript(int exponent) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(exponent)) text += c == '-' ? "⁻" : digits[c - '0'];
  return text;
}

// Fixed decimals, then without trailing zeros and without the sign of zero.
std::string trimmed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, std::max(decimals, 0));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string with_minus_sign(std::string text) {
  if (!text.empty() && text.front() == '-') text.replace(0, 1, "−");
  return text;
}

// floor(log10(x)), exact at powers of ten, where log10 may be off by a bit.
int decade(double x) {
  int k = static_cast<int>(std::floor(std::log10(x)));
  if (std::pow(10.0, k + 1) <= x * (1 + 1e-12)) ++k;
  return k;
}

std::string scientific(double value, int step_decade) {
  if (value == 0) return "0";
  int k = decade(std::abs(value));
  const std::string mantissa = trimmed(value / std::pow(10.0, k), k - step_decade);
  if (mantissa == "1") return "10" + superscript(k);
  if (mantissa == "-1") return "−10" + superscript(k);
  return with_minus_sign(mantissa) + "×10" + superscript(k);
}

std::vector<double> multiples(Limits limits, double step) {
  // Half-open rounding errors at the ends must not lose a mark that lies on the frame.
  const double slack = 1e-9 * (limits.high - limits.low);
  const double first = std::ceil((limits.low - slack) / step);
  const double last = std::floor((limits.high + slack) / step);
  std::vector<double> values;
  for (double k = first; k <= last && values.size() < 1000; ++k) values.push_back(k * step);
  return values;
}

bool is_among(double x, std::span<const double> values, double tolerance) {
  return std::ranges::any_of(values, [&](double v) { return std::abs(v - x) <= tolerance; });
}

// Multiples 1..9 of powers of ten inside the limits; wanted says which multiples.
template <class Wanted>
std::vector<double> decade_multiples(Limits limits, int first, int last, Wanted&& wanted) {
  std::vector<double> values;
  for (int k = first; k <= last; ++k) {
    for (int m = 1; m < 10; ++m) {
      const double value = m * std::pow(10.0, k);
      if (wanted(m, k) && value >= limits.low * (1 - 1e-9) && value <= limits.high * (1 + 1e-9))
        values.push_back(value);
    }
  }
  return values;
}

}  // namespace

Limits widened(Limits limits, AxisScale scale) {
  constexpr double largest = 1e300;  // differences and ratios stay finite
  double low = std::min(limits.low, limits.high), high = std::max(limits.low, limits.high);
  if (!(std::isfinite(low) && std::isfinite(high)))
    return scale == AxisScale::log ? Limits{0.1, 1} : Limits{};
  low = std::clamp(low, -largest, largest);
  high = std::clamp(high, -largest, largest);
  if (scale == AxisScale::log) {
    if (high < 1 / largest) return {0.1, 1};
    if (!(low > 0)) low = 1e-3 * high;
    low = std::max(low, 1 / largest);
    if (high / low < 1 + 1e-9) return {low / 3, high * 3};
    return {low, high};
  }
  const double size = std::max(std::abs(low), std::abs(high));
  if (size < 1 / largest) return {-1, 1};
  if (high - low < 1e-12 * size) return {low - 0.1 * size, high + 0.1 * size};
  return {low, high};
}

Limits limits_of(std::span<const double> values, AxisScale scale) {
  Limits limits{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double v : values) {
    if (!std::isfinite(v) || (scale == AxisScale::log && !(v > 0))) continue;
    limits.low = std::min(limits.low, v);
    limits.high = std::max(limits.high, v);
  }
  if (limits.low <= limits.high) return limits;
  return scale == AxisScale::log ? Limits{0.1, 1} : Limits{0, 1};
}

std::vector<std::string> tick_labels(std::span<const double> ticks, double step) {
  double largest = 0;
  for (const double t : ticks) largest = std::max(largest, std::abs(t));
  const int step_decade = step > 0 ? decade(step) : 0;
  const bool plain = largest == 0 || (largest < 1e5 && step_decade >= -4);
  std::vector<std::string> labels;
  for (const double t : ticks)
    labels.push_back(plain ? with_minus_sign(trimmed(t, -step_decade))
                           : scientific(t, step_decade));
  return labels;
}

Ticks linear_ticks(Limits limits, int max_count) {
  limits = widened(limits, AxisScale::linear);
  const double least = (limits.high - limits.low) / std::max(max_count, 1);
  const double power = std::pow(10.0, decade(least));
  double step = 10 * power;
  double parts = 5;
  for (const auto& [m, p] : {std::pair{1.0, 5.0}, {2.0, 4.0}, {5.0, 5.0}}) {
    if (m * power >= least * (1 - 1e-9)) {
      step = m * power;
      parts = p;
      break;
    }
  }
  Ticks ticks;
  ticks.major = multiples(limits, step);
  ticks.labels = tick_labels(ticks.major, step);
  for (const double v : multiples(limits, step / parts))
    if (!is_among(v, ticks.major, 1e-6 * step)) ticks.minor.push_back(v);
  return ticks;
}

Ticks log_ticks(Limits limits, int max_count) {
  limits = widened(limits, AxisScale::log);
  max_count = std::max(max_count, 1);
  const int first = decade(limits.low), last = decade(limits.high);
  const auto is_power = [](int m, int) { return m == 1; };
  const std::vector<double> powers = decade_multiples(limits, first, last, is_power);
  Ticks ticks;
  if (powers.size() >= 2) {
    const int n = static_cast<int>(powers.size());
    const int stride = (n + max_count - 1) / max_count;
    const auto is_major = [&](int m, int k) { return m == 1 && k % stride == 0; };
    ticks.major = decade_multiples(limits, first, last, is_major);
    ticks.minor = decade_multiples(limits, first, last, [&](int m, int k) {
      return !is_major(m, k) && (m == 1 || (stride == 1 && n <= 12));
    });
    for (const double v : ticks.major) ticks.labels.push_back("10" + superscript(decade(v)));
    return ticks;
  }
  const auto is_round = [](int m, int) { return m == 1 || m == 2 || m == 5; };
  ticks.major = decade_multiples(limits, first, last, is_round);
  if (ticks.major.size() < 2) {
    ticks = linear_ticks(limits, max_count);
    return ticks;
  }
  ticks.minor =
      decade_multiples(limits, first, last, [&](int m, int k) { return !is_round(m, k); });
  ticks.labels = tick_labels(ticks.major, ticks.major.front());
  return ticks;
}

}  // namespace cauchy
