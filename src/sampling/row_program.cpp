#include "sampling/row_program.hpp"

#include <algorithm>

namespace cauchy::detail {
namespace {

constexpr std::size_t program_block = 512;

ProgramSpec spec_of(const Expr& e, const Frame& frame) {
  ProgramSpec spec{.outputs = {e}, .inputs = {}, .parameters = {}, .sums = {}};
  for (std::size_t i = 0; i < frame.width(); ++i) {
    const std::string& name = frame.columns[i];
    const bool is_coordinate = i < frame.time.size() + frame.space;
    spec.inputs.push_back(is_coordinate ? Expr(Coordinate(name)) : Expr(Parameter(name)));
  }
  return spec;
}

}  // namespace

RowProgram::RowProgram(const Expr& e, const Frame& frame)
    : width_(frame.width()),
      program_(spec_of(e, frame)),
      columns_(width_ * program_block),
      workspace_(program_.workspace_size()),
      inputs_(width_) {
  for (std::size_t j = 0; j < width_; ++j) inputs_[j] = columns_.data() + j * program_block;
}

void RowProgram::run(const double* rows, std::size_t n, double* out) {
  for (std::size_t first = 0; first < n; first += program_block) {
    const std::size_t m = std::min(program_block, n - first);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < width_; ++j) {
        columns_[j * program_block + i] = rows[(first + i) * width_ + j];
      }
    }
    double* const outputs[] = {out + first};
    program_.run(m, inputs_.data(), nullptr, outputs, nullptr, workspace_.data());
  }
}

}  // namespace cauchy::detail
