#include <cauchy/math/polynomials.hpp>

#include "sampling/random_fields/random_fields.hpp"
#include "sampling/random_fields/series_field.hpp"

namespace cauchy {

void visit_options(ChebyshevField& o, OptionVisitor& v) {
  v.count("n", o.n, 1, 1024);
  v.number("size", o.size, NumberRange::positive);
}

namespace detail {
namespace {

class ChebyshevBasis final : public AxisBasis {
 public:
  explicit ChebyshevBasis(std::size_t n) : n_(n) {}
  [[nodiscard]] std::size_t size() const noexcept override { return n_; }
  void evaluate(double t, std::span<double> values) const override {
    OrthogonalPolynomials::chebyshev_t().evaluate(2 * t - 1, values);
  }

 private:
  std::size_t n_;
};

}  // namespace

MadeField make_field(const ChebyshevField& o, const Axes& axes) {
  constexpr std::string_view place = "[random_field.chebyshev]";
  refuse_periodic(axes, place);
  return make_series_field(
      equal_series(std::make_shared<ChebyshevBasis>(o.n), std::vector<double>(o.n, 1.0), o.size,
                   CoefficientLaw::uniform, axes.size(), place),
      axes, place);
}

}  // namespace detail
}  // namespace cauchy
