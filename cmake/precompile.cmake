# precompile(TARGET) parses precompiled.h once for all targets that ask for it, precompile(TARGET tests) what tests
# include besides. They have all the compile options of the target it is made with, and definitions besides, which its
# headers know nothing of.
function(precompile target)
  if(NOT SCREE_PRECOMPILE)
    return()
  endif()
  set(maker precompiled${ARGN})
  if(NOT TARGET ${maker})
    add_library(${maker} OBJECT ${CMAKE_SOURCE_DIR}/cmake/precompiled.cc)
    target_link_libraries(${maker} PRIVATE scree_flags $<$<BOOL:${ARGN}>:GTest::gmock>)
    target_precompile_headers(${maker} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled.h)
    if(ARGN)
      target_precompile_headers(${maker} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
      target_compile_options(${maker} PRIVATE ${test_options})
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${maker})
endfunction()
