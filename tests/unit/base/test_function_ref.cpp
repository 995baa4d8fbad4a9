#include <gtest/gtest.h>

#include <cauchy/base/function_ref.hpp>
#include <memory>
#include <type_traits>

namespace cauchy::test_function_ref {
namespace {

int twice(int x) { return 2 * x; }
int apply(FunctionRef<int(int)> f, int x) { return f(x); }

TEST(FunctionRef, CallsFunctionsPointersLambdasAndConstObjects) {
  EXPECT_EQ(apply(twice, 4), 8);
  EXPECT_EQ(apply(&twice, 5), 10);
  int n_calls = 0;
  EXPECT_EQ(apply([&](int x) { return x + ++n_calls; }, 1), 2);
  EXPECT_EQ(n_calls, 1);
  const auto plus_three = [](int x) { return x + 3; };
  EXPECT_EQ(apply(plus_three, 1), 4);
}

TEST(FunctionRef, RefersToTheCallableAndDoesNotCopyIt) {
  auto count = [n = 0]() mutable { return ++n; };
  const FunctionRef<int()> ref = count;
  const FunctionRef<int()> copy = ref;
  ref();
  copy();
  EXPECT_EQ(count(), 3);
}

TEST(FunctionRef, ForwardsReferencesAndMoveOnlyArguments) {
  int target = 0;
  const auto set = [](int& to, std::unique_ptr<int> from) { to = *from; };
  FunctionRef<void(int&, std::unique_ptr<int>)> ref = set;
  ref(target, std::make_unique<int>(9));
  EXPECT_EQ(target, 9);
}

TEST(FunctionRef, AcceptsOnlyMatchingCallables) {
  using Ref = FunctionRef<int(int)>;
  static_assert(!std::is_constructible_v<Ref, int (*)(const char*)>);
  static_assert(!std::is_default_constructible_v<Ref>);
  static_assert(std::is_trivially_copyable_v<Ref>);
  EXPECT_EQ(sizeof(Ref), 2 * sizeof(void*));
}

}  // namespace
}  // namespace cauchy::test_function_ref
