#pragma once

#include <initializer_list>
#include <vector>

namespace cauchy {

struct Network;

/// Networks inside of the options of another one. A vector whose copies and moves are made where
/// Network is complete, so that it may be a part of its alternatives.
struct NetworkList : std::vector<Network> {
  NetworkList() noexcept;
  NetworkList(std::initializer_list<Network> networks);
  NetworkList(const NetworkList& other);
  NetworkList(NetworkList&& other) noexcept;
  NetworkList& operator=(const NetworkList& other);
  NetworkList& operator=(NetworkList&& other) noexcept;
  ~NetworkList();
};

}  // namespace cauchy
