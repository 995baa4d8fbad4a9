# cauchy_sundials: the parts of SUNDIALS that are used. The package's own configuration asks for MPI,
# hypre and PETSc, which nothing here uses. Installed as well: users of a static library need it.
if(NOT TARGET cauchy_sundials)
  find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h REQUIRED)
  add_library(cauchy_sundials INTERFACE IMPORTED)
  set_target_properties(cauchy_sundials PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${SUNDIALS_INCLUDE_DIR}")
  foreach(part cvode ida nvecserial)
    find_library(SUNDIALS_${part}_LIBRARY sundials_${part} REQUIRED)
    set_property(TARGET cauchy_sundials APPEND PROPERTY
      INTERFACE_LINK_LIBRARIES "${SUNDIALS_${part}_LIBRARY}")
  endforeach()
endif()
