// The kind of an error at the boundaries where callers decide by it.
#include <gtest/gtest.h>

#include <cauchy/base/error.hpp>
#include <cauchy/expr/evaluate.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/io/checkpoint.hpp>
#include <cauchy/io/files.hpp>
#include <cauchy/io/table.hpp>
#include <cauchy/optimizers/quasi_newton.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/sampling/quadrature_points.hpp>

namespace cauchy::test_error_kinds {
namespace {

template <class Run>
ErrorKind kind_of(Run run) {
  try {
    (void)run();
  } catch (const Error& e) {
    return e.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::misuse;
}

TEST(ErrorKinds, TextsThatCannotBeReadAreSyntax) {
  const Context names = Context().add_space("x").add_field("u");
  EXPECT_EQ(kind_of([&] { return parse("u +", names); }), ErrorKind::syntax);
  EXPECT_EQ(kind_of([&] { return parse("w", names); }), ErrorKind::syntax);
  EXPECT_EQ(kind_of([&] { return parse("1/0", names); }), ErrorKind::syntax);
  EXPECT_EQ(kind_of([&] { return parse_problem_file("name = [", "a.toml"); }), ErrorKind::syntax);
}

TEST(ErrorKinds, ExpressionsWithoutARealValueAreUnsupported) {
  EXPECT_EQ(kind_of([] { return Expr(1) / 0; }), ErrorKind::unsupported);
  EXPECT_EQ(kind_of([] { return log(Expr(-1)); }), ErrorKind::unsupported);
  EXPECT_EQ(kind_of([] { return evaluate(Coordinate("x")); }), ErrorKind::not_found);
  EXPECT_EQ(kind_of([] { return Field(""); }), ErrorKind::misuse);
}

TEST(ErrorKinds, FilesThatCannotBeReadAreFile) {
  EXPECT_EQ(kind_of([] { return read_file("no/such/file"); }), ErrorKind::file);
  EXPECT_EQ(kind_of([] { return read_file("."); }), ErrorKind::file);
  EXPECT_EQ(kind_of([] { return parse_checkpoint("nonsense", "c.bin"); }), ErrorKind::file);
  EXPECT_EQ(kind_of([] { return read_problem_file("no/such/file.toml"); }), ErrorKind::file);
  Table table;
  table.columns = {"x"};
  EXPECT_EQ(kind_of([&] { return table.index("y"); }), ErrorKind::not_found);
}

TEST(ErrorKinds, RegionsWithoutARuleAreUnsupportedAndEmptyPartsNotFound) {
  const Region disk = Disk({0, 0}, 1), square = Rectangle({0, 0}, {2, 2});
  const Domain moon(square - disk);
  EXPECT_EQ(kind_of([&] { return gauss_points(moon, 3); }), ErrorKind::unsupported);
  EXPECT_EQ(kind_of([&] { return gauss_points(moon, 0); }), ErrorKind::misuse);
  EXPECT_EQ(kind_of([&] { return boundary_gauss_points(moon, "x > 9", 3); }), ErrorKind::not_found);
  EXPECT_EQ(kind_of([&] { return boundary_points(moon, "x > 9", 8); }), ErrorKind::not_found);
}

TEST(ErrorKinds, WhatDoesNotFitIsMemory) {
  const QuasiNewton method({.max_bytes = 1000});
  const FunctionObjective objective(10'000, nullptr);
  EXPECT_EQ(kind_of([&] {
              method.check_fits(objective);
              return 0;
            }),
            ErrorKind::memory);
}

}  // namespace
}  // namespace cauchy::test_error_kinds
