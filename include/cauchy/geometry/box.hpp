#pragma once

#include <string>
#include <vector>

namespace cauchy {

/// A box over named coordinates, for example t in [0, 1], x in [-1, 1]; time is one of them.
struct Box {
  struct Side {
    std::string coordinate;
    double lower, upper;
  };
  std::vector<Side> sides;
};

}  // namespace cauchy
