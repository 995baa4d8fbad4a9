#include <cauchy/base/error.hpp>
#include <string>

int main() { return std::string(cauchy::Error("m", "p", "h").what()) == "p: m; h" ? 0 : 1; }
