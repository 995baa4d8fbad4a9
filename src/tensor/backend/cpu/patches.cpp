#include "tensor/backend/cpu/patches.hpp"

#include <algorithm>

#include "tensor/graph_checks.hpp"

namespace cauchy::detail {

template <class T>
Patches<T>::Patches(const std::vector<int>& fine, const std::vector<int>& coarse,
                    const ConvolutionOptions& o) {
  const std::size_t d = fine.size();
  std::vector<int> grid(d);
  in_place_ = true;
  for (std::size_t a = 0; a < d; ++a) {
    grid[a] = o.stride[a] * (coarse[a] - 1) + o.kernel[a];
    in_place_ = in_place_ && o.padding[a] == 0 && grid[a] <= fine[a];
  }
  fine_ = TensorShape{1, fine}.points();
  padded_ = TensorShape{1, grid}.points();
  trivial_ = in_place_ && fine == coarse && TensorShape{1, o.kernel}.points() == 1;
  line_ = static_cast<std::size_t>(coarse[d - 1]);
  step_ = static_cast<std::size_t>(o.stride[d - 1]);

  const std::vector<std::size_t> strides = strides_of(in_place_ ? fine : grid);
  const auto at = [&](const std::vector<int>& point, const std::vector<int>& factor) {
    std::size_t sum = 0;
    for (std::size_t a = 0; a < d; ++a) {
      sum += strides[a] * static_cast<std::size_t>(point[a] * factor[a]);
    }
    return sum;
  };
  std::vector<int> first = coarse;  // the first point of every line
  first[d - 1] = 1;
  for_each_point(
      first, [&](const std::vector<int>& p, std::size_t) { begins_.push_back(at(p, o.stride)); });
  const std::vector<int> ones(d, 1);
  for_each_point(o.kernel,
                 [&](const std::vector<int>& k, std::size_t) { offsets_.push_back(at(k, ones)); });
  if (in_place_) return;

  const std::vector<std::size_t> from = strides_of(fine);
  first = grid;
  first[d - 1] = 1;
  for_each_point(first, [&](const std::vector<int>& p, std::size_t) {
    std::ptrdiff_t begin = 0;
    for (std::size_t a = 0; a + 1 < d && begin >= 0; ++a) {
      const int node = border_node(p[a] - o.padding[a], fine[a], o.border);
      begin = node < 0 ? -1 : begin + static_cast<std::ptrdiff_t>(from[a]) * node;
    }
    sources_.push_back(begin);
  });
  const int length = grid[d - 1], padding = o.padding[d - 1], n = fine[d - 1];
  const auto node = [&](int i) {
    return static_cast<std::ptrdiff_t>(border_node(i - padding, n, o.border));
  };
  const int copied = std::min(n, length - padding);
  for (int i = 0; i < padding; ++i) before_.push_back(node(i));
  for (int i = padding + copied; i < length; ++i) behind_.push_back(node(i));
  copied_ = static_cast<std::size_t>(copied);
}

template <class T>
const T* Patches<T>::pad(std::size_t channels, const T* x, T* room) const {
  if (in_place_) return x;
  T* to = room;
  for (std::size_t c = 0; c < channels; ++c, x += fine_) {
    for (const std::ptrdiff_t source : sources_) {
      if (source < 0) {
        to = std::fill_n(to, before_.size() + copied_ + behind_.size(), T(0));
        continue;
      }
      const T* line = x + source;
      for (const std::ptrdiff_t i : before_) *to++ = i < 0 ? T(0) : line[i];
      to = std::copy_n(line, copied_, to);
      for (const std::ptrdiff_t i : behind_) *to++ = i < 0 ? T(0) : line[i];
    }
  }
  return room;
}

template <class T>
void Patches<T>::unpad(std::size_t channels, const T* room, T* x) const {
  if (in_place_) return;
  for (std::size_t c = 0; c < channels; ++c, x += fine_) {
    for (const std::ptrdiff_t source : sources_) {
      const T *middle = room + before_.size(), *end = middle + copied_;
      if (source >= 0) {
        T* line = x + source;
        for (std::size_t i = 0; i < before_.size(); ++i) {
          if (before_[i] >= 0) line[before_[i]] += room[i];
        }
        element_.add(copied_, middle, line);
        for (std::size_t i = 0; i < behind_.size(); ++i) {
          if (behind_[i] >= 0) line[behind_[i]] += end[i];
        }
      }
      room = end + behind_.size();
    }
  }
}

template <class T>
void Patches<T>::take(std::size_t channels, std::size_t first, std::size_t lines, const T* padded,
                      T* patches) const {
  const std::size_t size = in_place_ ? fine_ : padded_;
  for (std::size_t c = 0; c < channels; ++c, padded += size) {
    for (const std::size_t offset : offsets_) {
      element_.take_lines(lines, begins_.data() + first, line_, step_, padded + offset, patches);
      patches += lines * line_;
    }
  }
}

template <class T>
void Patches<T>::give(std::size_t channels, std::size_t first, std::size_t lines, const T* patches,
                      T* padded) const {
  const std::size_t size = in_place_ ? fine_ : padded_;
  for (std::size_t c = 0; c < channels; ++c, padded += size) {
    for (const std::size_t offset : offsets_) {
      element_.give_lines(lines, begins_.data() + first, line_, step_, patches, padded + offset);
      patches += lines * line_;
    }
  }
}

template class Patches<float>;
template class Patches<double>;

}  // namespace cauchy::detail
