# Third-party libraries of the library itself; docs/design/dependencies.md gives the reason for each.
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(openblas REQUIRED IMPORTED_TARGET openblas)
include(CauchyOpenBlas)
pkg_check_modules(agg REQUIRED IMPORTED_TARGET libagg)
find_package(PNG REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(hdf5 REQUIRED IMPORTED_TARGET hdf5-serial)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
include(CauchySundials)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

# What the library is linked with.
set(CAUCHY_LIBRARIES fmt::fmt PkgConfig::hwy PkgConfig::openblas PkgConfig::agg PNG::PNG
                     PkgConfig::libzip PkgConfig::hdf5 PkgConfig::tomlplusplus
                     cauchy_sundials $<BUILD_INTERFACE:Eigen3::Eigen>
                     $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
