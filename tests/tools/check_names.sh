# Tests of tools/check_names.py.

put() {  # put FILE LINE...: writes a file of the temporary tree
  mkdir -p "$work/$(dirname "$1")"
  printf '%s\n' "${@:2}" >"$work/$1"
}
# clash PUBLIC PRIVATE NAME: these declarations in cauchy and in cauchy::detail are refused.
clash() {
  put include/cauchy/a.hpp 'namespace cauchy {' "$1" '}'
  put src/math/b.hpp 'namespace cauchy::detail {' '' "$2" '}'
  capture "$tools/check_names.py" "$work"
  expect_code 1
  expect_output "src/math/b.hpp:3: '$3' of cauchy::detail is in cauchy, too, at include/cauchy/a.hpp:2"
}
no_clash() {  # no_clash PUBLIC PRIVATE
  put include/cauchy/a.hpp 'namespace cauchy {' "$1" '}'
  put src/math/b.hpp 'namespace cauchy::detail {' "$2" '}'
  capture "$tools/check_names.py" "$work"
  expect_code 0
  expect_no_output
}

test_check_names_accepts_this_tree() {
  capture "$tools/check_names.py"
  expect_code 0
  expect_no_output
}

test_check_names_refuses_types_aliases_and_concepts() {
  clash 'struct Form { int a; };' 'class Form final : public Other {};' Form
  clash 'enum class Form : int { a, b };' 'using Form = int;' Form
  clash 'class Form;' 'template <class T = int> struct alignas(64) Form { T a; };' Form
  clash 'template <class T> concept Form = true;' 'typedef int Form;' Form
}

test_check_names_refuses_variables_and_functions() {
  clash 'inline constexpr int first = 1, size = 2;' 'std::size_t size(int n);' size
  clash 'extern const double rates[];' 'inline std::vector<int> rates{1, 2};' rates
  clash 'std::map<int, double> sums(const std::vector<int>& x, int n = 3);' \
    'template <class T> [[nodiscard]] inline bool other(T a) { return a < 1; } struct sums {};' sums
}

test_check_names_takes_functions_of_other_parameters_for_overloads() {
  clash 'double mean(std::span<const double> x);' '[[nodiscard]] double mean(std::span<const double> y) noexcept;' mean
  no_clash 'double mean(std::span<const double> x);' 'double mean(const Points& x);'
}

test_check_names_looks_only_at_the_scopes_of_namespaces() {
  no_clash 'struct A { struct Form {}; int size; }; void f(int Form = 3) { int size; }' \
    '// struct A;
     struct Form { int f; }; const char* size = "struct A {"; namespace inner { struct A {}; }
     using cauchy::A; A& operator+=(A& a, int f); template <> struct B<A> {};'
}

test_check_names_follows_nested_and_unnamed_namespaces() {
  put include/cauchy/a.hpp 'namespace cauchy {' 'inline namespace v1 {' 'struct Form {};' '}' 'namespace detail {' \
    'namespace {' 'struct Form {};' '}' '}' '}'
  capture "$tools/check_names.py" "$work"
  expect_code 1
  expect_output "include/cauchy/a.hpp:7: 'Form' of cauchy::detail is in cauchy, too, at include/cauchy/a.hpp:3"
}

test_check_names_refuses_an_empty_tree() {
  capture "$tools/check_names.py" "$work"
  expect_code 1
}
