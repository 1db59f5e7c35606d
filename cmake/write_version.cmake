set(COMMIT "unknown")
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE found
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(COMMIT ${found})
  endif()
endif()
set(text "#pragma once
#define SCREE_VERSION \"${VERSION}\"
#define SCREE_COMMIT \"${COMMIT}\"
#define SCREE_COMPILER \"${COMPILER}\"
#define SCREE_BUILD \"${BUILD}\"
")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
