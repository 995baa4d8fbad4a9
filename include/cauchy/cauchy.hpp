#pragma once

// Everything for problems and methods in one include: the language of equations, domains, problems,
// methods, answers, and files of them. Mathematics, the engine, pictures and the formats of single
// files have headers of their own below cauchy/.

#include <cauchy/base/error.hpp>
#include <cauchy/base/progress.hpp>
#include <cauchy/base/terminal_progress.hpp>
#include <cauchy/data/make_data.hpp>
#include <cauchy/expr/analysis.hpp>
#include <cauchy/expr/derivative.hpp>
#include <cauchy/expr/expr.hpp>
#include <cauchy/expr/parse.hpp>
#include <cauchy/expr/print.hpp>
#include <cauchy/expr/vector.hpp>
#include <cauchy/files/operator_file.hpp>
#include <cauchy/files/problem_file.hpp>
#include <cauchy/files/run_folder.hpp>
#include <cauchy/geometry/domain.hpp>
#include <cauchy/geometry/primitives.hpp>
#include <cauchy/geometry/region.hpp>
#include <cauchy/networks/network.hpp>
#include <cauchy/operators/learn.hpp>
#include <cauchy/optimizers/any_optimizer.hpp>
#include <cauchy/problem/condition.hpp>
#include <cauchy/problem/exact_solution.hpp>
#include <cauchy/problem/exact_solutions.hpp>
#include <cauchy/problem/place.hpp>
#include <cauchy/problem/problem.hpp>
#include <cauchy/problem/solution.hpp>
#include <cauchy/problem/training_diagnosis.hpp>
#include <cauchy/sampling/domain_points.hpp>
#include <cauchy/solvers/conservation.hpp>
#include <cauchy/solvers/decompose.hpp>
#include <cauchy/solvers/error_bars.hpp>
#include <cauchy/solvers/error_bounds.hpp>
#include <cauchy/solvers/family_error.hpp>
#include <cauchy/solvers/learning_study.hpp>
#include <cauchy/solvers/method.hpp>
#include <cauchy/solvers/restarts.hpp>
#include <cauchy/solvers/second_answer.hpp>
#include <cauchy/solvers/wellposed.hpp>
#include <cauchy/training/training.hpp>
