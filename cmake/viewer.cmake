# scree_page: the files of the viewer's page as an array of bytes. npm fetches what viewer/package-lock.json lists, once;
# the page is built again when one of its sources changes.
find_program(NODE node)
find_program(NPM npm)
if(NOT NODE OR NOT NPM)
  message(FATAL_ERROR "node and npm are needed to build the viewer's page (packages nodejs and npm)")
endif()
set(page_folder ${CMAKE_BINARY_DIR}/page)
set(npm_stamp ${CMAKE_SOURCE_DIR}/viewer/node_modules/.package-lock.json)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS viewer/src/*)

add_custom_command(
  OUTPUT ${npm_stamp}
  COMMAND ${NPM} ci --ignore-scripts --no-fund --no-audit --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${npm_stamp}
  DEPENDS viewer/package.json viewer/package-lock.json
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/viewer
  COMMENT "Fetching the viewer's libraries"
  VERBATIM)
add_custom_command(
  OUTPUT ${page_folder}/viewer_assets.cc ${page_folder}/viewer.js ${page_folder}/viewer.css ${page_folder}/index.html
  COMMAND ${NODE} build.mjs ${page_folder}
  DEPENDS ${npm_stamp} ${page_sources} viewer/build.mjs viewer/tsconfig.json
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/viewer
  COMMENT "Building the viewer's page"
  VERBATIM)
add_library(scree_page STATIC ${page_folder}/viewer_assets.cc)
target_link_libraries(scree_page PUBLIC scree_view)
