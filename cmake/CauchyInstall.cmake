# Install and export: find_package(cauchy) gives the target cauchy::cauchy.
include(CMakePackageConfigHelpers)

# OpenBLAS has flavours; the one that was linked is the one that is loaded.
set_target_properties(cauchy PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS cauchy EXPORT cauchyTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET cauchy_program)
  set_target_properties(cauchy_program PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS cauchy_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# Not installed: plans and backends, which are between the engine and its tests, and the command line,
# which is in the program and not in the library. No other header includes them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cauchy DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  REGEX "/cauchy/(cli|engine/(plan|backend)\\.hpp)$" EXCLUDE)
# The library of problems: `cauchy solve burgers` finds it beside the program.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/problems/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/cauchy/problems)
# Studies name their problems as ../problems/NAME.toml.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/studies/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/cauchy/studies)
install(EXPORT cauchyTargets NAMESPACE cauchy::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cauchy)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cauchyConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cauchyConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cauchy)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cauchyConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cauchyConfig.cmake
              ${PROJECT_BINARY_DIR}/cauchyConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/CauchySundials.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cauchy)
