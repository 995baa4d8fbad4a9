#include "sampling/random_fields/random_fields.hpp"
#include "sampling/random_fields/series_field.hpp"

namespace cauchy {

void visit_options(PolynomialField& o, OptionVisitor& v) {
  v.count("n", o.n, 1, 1024);
  v.number("size", o.size, NumberRange::positive);
}

namespace detail {
namespace {

class PowerBasis final : public AxisBasis {
 public:
  explicit PowerBasis(std::size_t n) : n_(n) {}
  [[nodiscard]] std::size_t size() const noexcept override { return n_; }
  void evaluate(double t, std::span<double> values) const override {
    double power = 1;
    for (double& v : values) {
      v = power;
      power *= t;
    }
  }

 private:
  std::size_t n_;
};

}  // namespace

MadeField make_field(const PolynomialField& o, const Axes& axes) {
  constexpr std::string_view place = "[random_field.polynomial]";
  refuse_periodic(axes, place);
  return make_series_field(
      equal_series(std::make_shared<PowerBasis>(o.n), std::vector<double>(o.n, 1.0), o.size,
                   CoefficientLaw::uniform, axes.size(), place),
      axes, place);
}

}  // namespace detail
}  // namespace cauchy
