#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cauchy/expr/print.hpp>
#include <cauchy/expr/written.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/io/option_text.hpp>

namespace cauchy::test {

// Field by field: everything that a problem file holds.

inline void expect_same(const Expr& a, const Expr& b) {
  EXPECT_TRUE(same(a, b)) << to_string(a) << "   and   " << to_string(b);
}
inline void expect_same(const Equation& a, const Equation& b) {
  expect_same(a.left, b.left);
  expect_same(a.right, b.right);
  EXPECT_TRUE(same_written(a.left, b.left) && same_written(a.right, b.right))
      << to_string(a) << "   and   " << to_string(b);
}
inline void expect_same(const std::map<std::string, Expr>& a,
                        const std::map<std::string, Expr>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, e] : a) {
    ASSERT_TRUE(b.contains(name)) << name;
    expect_same(e, b.at(name));
  }
}
inline void expect_same(const Table& a, const Table& b) {
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.values, b.values);
}

inline void expect_same(const Domain& a, const Domain& b) {
  EXPECT_EQ(a.columns(), b.columns());
  ASSERT_EQ(a.time() == nullptr, b.time() == nullptr);
  if (a.time() != nullptr) {
    EXPECT_EQ(a.time()->lower, b.time()->lower);
    EXPECT_EQ(a.time()->upper, b.time()->upper);
  }
  ASSERT_EQ(a.space() == nullptr, b.space() == nullptr);
  if (a.space() != nullptr) {
    EXPECT_EQ(a.space()->parameters(), b.space()->parameters());
    if (a.space()->str().find("surface(") == std::string::npos)
      expect_same(a.space()->implicit(), b.space()->implicit());
    ASSERT_EQ(a.space()->tags().size(), b.space()->tags().size());
    for (std::size_t i = 0; i < a.space()->tags().size(); ++i) {
      EXPECT_EQ(a.space()->tags()[i].label, b.space()->tags()[i].label);
      expect_same(a.space()->tags()[i].where, b.space()->tags()[i].where);
    }
  }
  ASSERT_EQ(a.ranges().size(), b.ranges().size());
  for (std::size_t i = 0; i < a.ranges().size(); ++i) {
    EXPECT_EQ(a.ranges()[i].lower, b.ranges()[i].lower);
    EXPECT_EQ(a.ranges()[i].upper, b.ranges()[i].upper);
  }
}

inline void expect_same(const Coefficient& a, const Coefficient& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.coordinates, b.coordinates);
}
inline void expect_same(const ProblemParameter& a, const ProblemParameter& b) {
  EXPECT_EQ(a.name, b.name);
  expect_same(a.value, b.value);
}
inline void expect_same(const Definition& a, const Definition& b) {
  EXPECT_EQ(a.name, b.name);
  expect_same(a.value, b.value);
}
inline void expect_same(const Unknown& a, const Unknown& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.initial, b.initial);
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.upper, b.upper);
  EXPECT_EQ(a.truth, b.truth);
}
inline void expect_same(const TabulatedFunction& a, const TabulatedFunction& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.arguments, b.arguments);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.file, b.file);
  EXPECT_EQ(a.interpolation, b.interpolation);
  expect_same(a.table, b.table);
}
inline void expect_same(const ProblemEquation& a, const ProblemEquation& b) {
  expect_same(a.form, b.form);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.where, b.where);
  EXPECT_TRUE(same(a.weight, b.weight));
}
inline void expect_same(const Condition& a, const Condition& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.where, b.where);
  expect_same(a.form, b.form);
  EXPECT_TRUE(same(a.weight, b.weight));
  EXPECT_EQ(a.hard, b.hard);
  EXPECT_EQ(a.coordinate, b.coordinate);
  EXPECT_EQ(a.order, b.order);
  EXPECT_EQ(a.point, b.point);
}
inline void expect_same(const Observation& a, const Observation& b) {
  EXPECT_EQ(a.name, b.name);
  expect_same(a.quantity, b.quantity);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.file, b.file);
  expect_same(a.table, b.table);
  EXPECT_EQ(a.weight, b.weight);
  EXPECT_EQ(a.sigma, b.sigma);
  EXPECT_EQ(a.sigma_column, b.sigma_column);
}

inline void expect_same(const Stage& a, const Stage& b) {
  EXPECT_EQ(option_text("stage", a), option_text("stage", b));
}

template <class T>
void expect_same(const std::vector<T>& a, const std::vector<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

inline void expect_same(const Problem& a, const Problem& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.notes, b.notes);
  ASSERT_EQ(a.domain.has_value(), b.domain.has_value());
  if (a.domain) expect_same(*a.domain, *b.domain);
  EXPECT_EQ(a.fields, b.fields);
  expect_same(a.coefficients, b.coefficients);
  EXPECT_EQ(a.sizes, b.sizes);
  expect_same(a.parameters, b.parameters);
  expect_same(a.unknowns, b.unknowns);
  expect_same(a.definitions, b.definitions);
  expect_same(a.functions, b.functions);
  expect_same(a.equation, b.equation);
  expect_same(a.condition, b.condition);
  expect_same(a.observation, b.observation);
  EXPECT_EQ(a.reference.exact, b.reference.exact);
  expect_same(a.reference.parameters, b.reference.parameters);
  expect_same(a.reference.formulas, b.reference.formulas);
  EXPECT_EQ(a.reference.file, b.reference.file);
  expect_same(a.reference.table, b.reference.table);
  EXPECT_EQ(a.reference.interpolation, b.reference.interpolation);
  EXPECT_EQ(a.tolerance, b.tolerance);
  EXPECT_EQ(a.convention, b.convention);
}

inline void expect_same(const Method& a, const Method& b) {
  EXPECT_EQ(option_text("method", a), option_text("method", b));
}

/// Written, read, and compared; the second text is the first one.
inline void expect_round_trip(const ProblemFile& file, const std::filesystem::path& folder = ".") {
  const std::string text = to_toml(file);
  SCOPED_TRACE(text);
  const ProblemFile again = parse_problem_file(text, "again.toml", folder);
  expect_same(file.problem, again.problem);
  expect_same(file.method, again.method);
  EXPECT_EQ(to_toml(again), text);
}

}  // namespace cauchy::test
