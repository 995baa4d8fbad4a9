#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cauchy/base/function_ref.hpp>
#include <cauchy/engine/graph.hpp>

namespace cauchy {

class OptionVisitor;

/// Cosines and sines of frequencies b_k in place of the inputs x (Tancik et al. 2020):
///   phi(x) = [a_k cos(b_k . x), a_k sin(b_k . x)],  a_k = (1 + |b_k|^2)^(-decay / 2)
/// phi(x) . phi(y) = sum_k a_k^2 cos(b_k . (x - y)) depends on x - y alone. Frequencies are angular
/// (2 pi times those of a cosine with 2 pi b . x), for inputs in [-1, 1].
///   gaussian   `count` rows b, normal with standard deviation `scale`
///   powers     per input scale * 1, 2, 4, ..., 2^(count - 1)
///   harmonics  per input scale * 1, 2, 3, ..., count
/// Several scales are several embeddings through the same layers (Wang, Wang, Perdikaris 2021).
/// With time_scales the first input, the time, has embeddings of its own, and layers end in the
/// products of each in space with each in time.
struct FourierFeatures {
  enum class Kind : std::uint8_t { gaussian, powers, harmonics };
  Kind kind = Kind::gaussian;
  int count = 32;
  std::vector<double> scales = {1};
  std::vector<double> time_scales = {};  ///< empty: time is an input like the others
  double decay = 0;
  bool learn = false;       ///< frequencies are trained
  bool with_input = false;  ///< x itself stands before the cosines
  std::uint64_t seed = 1;   ///< of gaussian frequencies
};

/// Angular frequencies of embedding number `embedding`, row-major count x n (gaussian) or
/// (n count) x n.
[[nodiscard]] std::vector<double> fourier_frequencies(const FourierFeatures& features, int n,
                                                      double scale, std::uint64_t embedding = 0);

/// The embeddings of a value through `layers`, a function of the number of a value, which is called
/// once: [H(phi_1), H(phi_2), ...], or all H(phi_space,i) * H(phi_time,j), rows of one value.
///   error    throws Error when a number is out of its range, or when embeddings of space and time
///            differ in their number of rows (the layers are the same)
int add_fourier_layers(Graph& graph, const FourierFeatures& features, int input,
                       FunctionRef<int(int)> layers);

/// features, frequencies, scales, time_scales, decay, learn_frequencies, with_input, feature_seed.
void visit_options(FourierFeatures& features, OptionVisitor& visitor);
/// For people: "32 Fourier features of 2 scales".
[[nodiscard]] std::string describe(const FourierFeatures& features);

}  // namespace cauchy
