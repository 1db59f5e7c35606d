# generated/version_strings.h: what a recording says about the program that wrote it.
find_package(Git QUIET)
add_custom_target(version_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${CMAKE_BINARY_DIR}/generated/version_strings.h
    -DVERSION=${PROJECT_VERSION} -DGIT=${GIT_EXECUTABLE} "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    -DBUILD=${CMAKE_BUILD_TYPE} -P ${CMAKE_SOURCE_DIR}/cmake/write_version.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/version_strings.h VERBATIM)
add_dependencies(scree_solve version_header)
