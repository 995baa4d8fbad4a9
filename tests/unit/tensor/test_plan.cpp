#include "tensor/plan.hpp"

#include <gtest/gtest.h>

namespace cauchy::detail::test_plan {
namespace {

TensorPlan plan_of(const TensorGraph& g, TensorPlanTask task, std::size_t n = 1) {
  return TensorPlan(g, std::move(task), n,
                    {[](int) -> std::size_t { return 0; }, [](int) -> std::size_t { return 0; }},
                    1);
}

/// x -> 8 layers of width 4 over 10 points.
struct Chain {
  TensorGraph g;
  int x, end;
  explicit Chain(int depth = 8) {
    end = x = g.input("x", {4, {10}});
    for (int i = 0; i < depth; ++i) end = g.linear(end, 4);
  }
};

TEST(TensorPlan, ForwardNeedsTwoArraysOfAChain) {
  const Chain chain;
  EXPECT_EQ(plan_of(chain.g, {{chain.end}}).size(), 2u * 40);
  EXPECT_EQ(plan_of(chain.g, {{chain.end}}, 3).size(), 3u * 2 * 40);
}

TEST(TensorPlan, BackwardKeepsValuesAndTwoAdjoints) {
  const Chain chain;
  // Seven values that weights are multiplied with; the result; the first layer needs no adjoint of
  // the input. The place of a value is free for adjoints once its reader is done.
  const std::size_t size = plan_of(chain.g, {{chain.end}, true}).size();
  EXPECT_GE(size, 8u * 40);
  EXPECT_LE(size, 9u * 40);
}

TEST(TensorPlan, WhatNoTargetNeedsTakesNoPlace) {
  Chain chain;
  const int aside = chain.g.linear(chain.x, 100);
  const TensorPlan plan = plan_of(chain.g, {{chain.end}, true});
  EXPECT_FALSE(plan.place(aside).needed);
  EXPECT_EQ(plan.place(aside).value, TensorPlan::none);
  EXPECT_EQ(plan.place(chain.x).adjoint, TensorPlan::none);
  EXPECT_NE(plan_of(chain.g, {{chain.end}, true, chain.x}).place(chain.x).adjoint,
            TensorPlan::none);
}

TEST(TensorPlan, ValuesWithoutParametersHaveNoAdjoints) {
  TensorGraph g;
  const int x = g.input("x", {1, {5}}), u = g.input("u", {1, {5}});
  const int norm = g.reduce(g.function(u, ElementFunction::square));
  const int loss = g.divide(g.reduce(g.linear(x, 1)), norm);
  const TensorPlan plan = plan_of(g, {{loss}, true});
  EXPECT_TRUE(plan.place(norm).needed);
  EXPECT_FALSE(plan.place(norm).active);
  EXPECT_EQ(plan.place(norm).adjoint, TensorPlan::none);
  EXPECT_TRUE(plan.place(loss).active);
}

TEST(TensorPlan, AnAdjointBeginsWithItsLastReaderOrTheSeeds) {
  TensorGraph g;
  const int x = g.linear(g.input("x", {1, {5}}), 1);
  const int a = g.scale(x, 1), b = g.scale(x, 1), sum = g.add(a, b);
  const TensorPlan plan = plan_of(g, {{sum, x}, true});
  const auto n = static_cast<int>(g.ops().size());
  EXPECT_EQ(plan.begin_at(n), (std::vector<int>{sum, x}));
  EXPECT_EQ(plan.begin_at(sum), (std::vector<int>{a, b}));
  EXPECT_TRUE(plan.begin_at(b).empty());
  EXPECT_EQ(plan_of(g, {{sum}, true}).begin_at(b), std::vector<int>{x});
}

}  // namespace
}  // namespace cauchy::detail::test_plan
