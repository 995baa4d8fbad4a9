# Third-party libraries of the library itself; docs/design/dependencies.md gives the reason for each.
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(openblas REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(agg REQUIRED IMPORTED_TARGET libagg)
find_package(PNG REQUIRED)
find_package(CLI11 REQUIRED)
