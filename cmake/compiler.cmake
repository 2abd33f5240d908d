# How every file of Longshore is compiled: warnings, sanitizers, hardening, the compiler cache.

set(LONGSHORE_SANITIZE "" CACHE STRING "address (with undefined behaviour), thread, or nothing")
set_property(CACHE LONGSHORE_SANITIZE PROPERTY STRINGS "" address thread)

find_program(LONGSHORE_CCACHE ccache)
if(LONGSHORE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${LONGSHORE_CCACHE}")
  # For longshore_module: reads in the compiler's own list which headers a file includes, where it
  # would preprocess every file that is not in the cache once more. Files that CMake unites
  # (longshore_unite) would then not be shared by two checkouts.
  set(LONGSHORE_DEPEND_LAUNCHER env CCACHE_DEPEND=1 "${LONGSHORE_CCACHE}")
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
# A designated initialiser names what it sets; the rest has its default.
add_compile_options(-Wno-missing-field-initializers)
# g++ 12 sees an overlap in `"text" + std::string` that is not there (GCC bug 105651).
add_compile_options(-Wno-restrict)
# Assertions and sanitizers then name `src/core/assert.h`, wherever the tree was checked out.
add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")

# Files are compiled several at a time, which takes half the time or less: most of what the compiler
# reads is headers. clang-tidy reads each file alone (./dev tidy), so that it stays true that each
# includes what it needs.
#
# Files that are compiled together share their unnamed namespaces: a name is given once in a folder.
option(LONGSHORE_UNITY "Compile several files at once" ON)
# Of src, for longshore_module: few enough that a change to one of them is compiled in seconds.
set(LONGSHORE_UNITED_FILES 8)
if(LONGSHORE_UNITY)
  # A local name is not in the way of another file's global one.
  add_compile_options(-Wno-shadow -Wshadow=local)
endif()

# The same for the targets that follow, in this folder and below it.
macro(longshore_unite)
  if(LONGSHORE_UNITY)
    set(CMAKE_UNITY_BUILD ON)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
  endif()
endmacro()

if(LONGSHORE_SANITIZE STREQUAL "address")
  # What is left out is found by the other sanitizer, or seldom, and takes g++ 12 as long to compile
  # as all the rest.
  set(sanitizers
      -fsanitize=address,undefined
      -fno-sanitize=null,alignment,vptr,object-size,nonnull-attribute,returns-nonnull-attribute
      -fno-sanitize-recover=all)
elseif(LONGSHORE_SANITIZE STREQUAL "thread")
  set(sanitizers -fsanitize=thread)
  # Asio has fences, which the sanitizer does not see; its queues have locks too, which it does.
  add_compile_options(-Wno-tsan)
elseif(NOT LONGSHORE_SANITIZE STREQUAL "")
  message(FATAL_ERROR "LONGSHORE_SANITIZE is '${LONGSHORE_SANITIZE}'; it takes address or thread")
endif()

if(LONGSHORE_SANITIZE)
  longshore_unite()
  set(LONGSHORE_UNITED_FILES 16)
  # -O1 keeps the tests quick; -g1 is enough for the line numbers in a report.
  add_compile_options(${sanitizers} -O1 -g1 -fno-omit-frame-pointer)
  # With sanitizers g++ 12 takes members of a variant that are not there for uninitialised ones (GCC
  # bug 105562); the release build, which warns of them too, is not misled.
  add_compile_options(-Wno-maybe-uninitialized)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(${sanitizers})
else()
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  add_compile_options(-fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection)
  endif()
  # Fortified calls need optimisation, so a debug build goes without.
  add_compile_options("$<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>")
  add_compile_definitions("$<$<CONFIG:Release>:_GLIBCXX_ASSERTIONS>")
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()
