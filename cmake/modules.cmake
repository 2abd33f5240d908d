# The few sentences in which a folder describes itself to the build.
#
#   longshore_add_folders()                               each folder that has a CMakeLists.txt
#   longshore_module(core SOURCES a.cpp a.h LINKS ...)    the library longshore_core
#   longshore_test(unit_core SOURCES a_test.cpp LINKS ..) a GoogleTest program, a ctest per case
#   longshore_example(first_job LINKS ...)                the program example_first_job, as a ctest
#
# LINKS takes CMake targets: longshore_core, fmt::fmt. File lists are spelled out, never globbed,
# so that a file nobody builds is noticed (tests/tidy looks).

# Adds every subfolder that has a CMakeLists.txt, also two levels down (store/memory) when the one
# between has none. A target may link one that a later folder defines, so the order does not matter.
function(longshore_add_folders)
  file(GLOB lists CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
       "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt"
       "${CMAKE_CURRENT_SOURCE_DIR}/*/*/CMakeLists.txt")
  foreach(list IN LISTS lists)
    get_filename_component(folder "${list}" DIRECTORY)
    get_filename_component(parent "${folder}" DIRECTORY)
    if(folder MATCHES "^build" OR "${parent}/CMakeLists.txt" IN_LIST lists)
      continue()
    endif()
    add_subdirectory("${folder}")
  endforeach()
endfunction()

# A folder of src/ as one library. Includes are written from src/: #include "core/assert.h".
# Its links stay private: who needs fmt says so itself.
#
# Its files are compiled several at once (longshore_united). Those that give a name of their own to
# something else than another file of the folder does are named after ALONE, and so is one that has
# options of its own.
function(longshore_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ALONE;SOURCES;LINKS")
  longshore_check_arguments(longshore_module "${name}")
  set(target "longshore_${name}")
  longshore_united(sources "${name}" "${arg_SOURCES}" "${arg_ALONE}")
  add_library(${target} STATIC ${sources})
  # Not once more by CMake, which the sanitizers' builds tell to do so.
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  if(LONGSHORE_DEPEND_LAUNCHER)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${LONGSHORE_DEPEND_LAUNCHER}")
  endif()
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PUBLIC longshore_headers PRIVATE ${arg_LINKS})
endfunction()

# longshore_united(RESULT NAME SOURCES ALONE): what to compile instead of these sources of the
# folder: files that include several of them each. CMake would do so itself (UNITY_BUILD), but names
# each file by where the tree is, so that two checkouts could not share the compiler cache. For the
# same reason these files are at the same place in a build of ours and in one of a project that has
# Longshore as a part.
function(longshore_united result name sources alone)
  if(NOT LONGSHORE_UNITY)
    set(${result} ${sources} PARENT_SCOPE)
    return()
  endif()
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/src" "${CMAKE_CURRENT_SOURCE_DIR}")
  set(united ${sources})
  list(FILTER united INCLUDE REGEX "^[^/].*\\.cpp$") # without headers and generated files
  list(REMOVE_ITEM united ${alone} "")
  list(REMOVE_ITEM sources ${united} "")
  set(number 0)
  while(united)
    list(SUBLIST united 0 ${LONGSHORE_UNITED_FILES} batch)
    list(REMOVE_ITEM united ${batch})
    list(TRANSFORM batch REPLACE "(.+)" "#include \"${folder}/\\1\"\n")
    list(JOIN batch "" text)
    set(file "${CMAKE_BINARY_DIR}/united/${name}_${number}.cpp")
    file(CONFIGURE OUTPUT "${file}" CONTENT "${text}" @ONLY)
    list(APPEND sources "${file}")
    math(EXPR number "${number} + 1")
  endwhile()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# A test program. Every TEST becomes a ctest of its own, labelled with its folder under tests/
# (unit, conformance, ...), which is how `./dev test` sorts tests into stages. Tests start in the
# root of the source tree, so they may read "docs/states.md". Other tests' headers are included
# from tests/: #include "conformance/fixture.h".
#
# With POSTGRES or REDIS, ctest has servers running (tests/postgres, tests/redis) and names their
# folder to the program.
function(longshore_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "POSTGRES;REDIS" "" "SOURCES;LINKS")
  longshore_check_arguments(longshore_test "${name}")
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src"
                                             "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${name} PRIVATE longshore_headers ${arg_LINKS} test_support GTest::gtest
                                        GTest::gtest_main Threads::Threads)
  # Test files are many, wide and run once: what they test is optimised, they are compiled quickly.
  # (Fortified calls want at least -O1, and without it the checker takes minutes longer.)
  target_compile_options(${name} PRIVATE "$<IF:$<BOOL:${LONGSHORE_SANITIZE}>,-O0,-O1>")
  longshore_label(label)
  # gtest_discover_tests passes no lists on: one fixture for both, and a property for each variable.
  set(properties "")
  if(arg_POSTGRES)
    longshore_postgres_folder(folder)
    list(APPEND properties ENVIRONMENT "LONGSHORE_TEST_POSTGRES=${folder}")
    set(servers postgres)
  endif()
  if(arg_REDIS)
    longshore_redis_folder(folder)
    list(APPEND properties ENVIRONMENT_MODIFICATION "LONGSHORE_TEST_REDIS=set:${folder}")
    set(servers redis)
  endif()
  if(arg_POSTGRES AND arg_REDIS)
    set(servers servers)
  endif()
  if(properties)
    list(APPEND properties FIXTURES_REQUIRED ${servers})
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
                       PROPERTIES LABELS "${label}" TIMEOUT 300 ${properties})
endfunction()

# Where the servers of this build's tests live: in memory where the machine offers it, and named
# after the build, so that two builds may be tested at once.
function(longshore_postgres_folder result)
  longshore_server_folder(folder pg)
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()
function(longshore_redis_folder result)
  longshore_server_folder(folder redis)
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()
function(longshore_server_folder result name)
  string(MD5 build "${PROJECT_BINARY_DIR}")
  string(SUBSTRING "${build}" 0 12 build)
  set(parent "/dev/shm")
  if(NOT IS_DIRECTORY "${parent}")
    set(parent "${PROJECT_BINARY_DIR}")
  endif()
  set(${result} "${parent}/longshore-${name}-${build}" PARENT_SCOPE)
endfunction()

# A program under examples/, built from <name>.cpp. It has to end by itself with 0: ctest runs it.
# One that needs a server (SERVER) is run by a test of its own, in tests/e2e.
function(longshore_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERVER" "" "LINKS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "longshore_example(${name}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()
  set(target "example_${name}")
  add_executable(${target} ${name}.cpp)
  target_link_libraries(${target} PRIVATE longshore_headers ${arg_LINKS} Threads::Threads)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                             "${PROJECT_BINARY_DIR}/examples")
  if(NOT arg_SERVER)
    add_test(NAME "Example.${name}" COMMAND ${target})
    set_tests_properties("Example.${name}" PROPERTIES LABELS examples TIMEOUT 60)
  endif()
endfunction()

# The folder directly under tests/ that holds the CMakeLists.txt being read.
function(longshore_label result)
  file(RELATIVE_PATH below "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
  string(REGEX REPLACE "/.*" "" label "${below}")
  set(${result} "${label}" PARENT_SCOPE)
endfunction()

macro(longshore_check_arguments caller name)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${caller}(${name}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "${caller}(${name}) needs SOURCES")
  endif()
endmacro()

# The kinds of store that this build has, for tests that are run on each.
function(longshore_stores result)
  set(stores sqlite)
  if(LONGSHORE_POSTGRES)
    list(APPEND stores postgres)
  endif()
  if(LONGSHORE_REDIS)
    list(APPEND stores redis)
  endif()
  set(${result} ${stores} PARENT_SCOPE)
endfunction()

# A file of unittest cases around the program itself, started by tests/e2e/harness.py, on a kind of
# store.
function(longshore_store_test test file store)
  longshore_label(label)
  set(environment "LONGSHORE_PROGRAM=$<TARGET_FILE:longshore_program>"
                  "LONGSHORE_CHECKER=$<TARGET_FILE_DIR:longshore_checker>"
                  "LONGSHORE_TEST_STORE=${store}")
  add_test(NAME "${test}" COMMAND Python3::Interpreter -B "${file}" --verbose)
  set_tests_properties("${test}" PROPERTIES LABELS "${label}" TIMEOUT 300)
  if(store STREQUAL postgres)
    longshore_postgres_folder(server)
    list(APPEND environment "LONGSHORE_TEST_POSTGRES=${server}")
    set_tests_properties("${test}" PROPERTIES FIXTURES_REQUIRED postgres)
  endif()
  if(store STREQUAL redis)
    longshore_redis_folder(server)
    list(APPEND environment "LONGSHORE_TEST_REDIS=${server}")
    set_tests_properties("${test}" PROPERTIES FIXTURES_REQUIRED redis)
  endif()
  set_tests_properties("${test}" PROPERTIES ENVIRONMENT "${environment}")
endfunction()
