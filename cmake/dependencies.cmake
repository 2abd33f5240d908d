# Every library that is not ours, in one place. `./dev` installs them by their Debian names.

# The library needs these; longshoreConfig.cmake.in finds them for whoever uses it.
find_package(Threads REQUIRED)
find_package(SQLite3 3.40 REQUIRED)                           # SQLite::SQLite3
# PostgreSQL is for those who have libpq; on its own, Longshore is always built with it.
if(PROJECT_IS_TOP_LEVEL)
  find_package(PostgreSQL 13 REQUIRED)                        # PostgreSQL::PostgreSQL
else()
  find_package(PostgreSQL 13 QUIET)
endif()
option(LONGSHORE_POSTGRES "Build the PostgreSQL store, which needs libpq" ${PostgreSQL_FOUND})
# So is Redis for those who have hiredis and OpenSSL. (hiredis's own CMake package is broken.)
if(PROJECT_IS_TOP_LEVEL)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(hiredis REQUIRED IMPORTED_TARGET GLOBAL hiredis>=0.14)  # PkgConfig::hiredis
  find_package(OpenSSL 3 REQUIRED)                            # OpenSSL::SSL, OpenSSL::Crypto
else()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(hiredis QUIET IMPORTED_TARGET GLOBAL hiredis>=0.14)
  endif()
  find_package(OpenSSL 3 QUIET)
endif()
set(has_redis OFF)
if(TARGET PkgConfig::hiredis AND OPENSSL_FOUND)
  set(has_redis ON)
endif()
option(LONGSHORE_REDIS "Build the Redis store, which needs hiredis and OpenSSL" ${has_redis})

# Servers across the network are for those who have OpenSSL and the headers of Boost.
if(NOT PROJECT_IS_TOP_LEVEL)
  find_package(Boost 1.81 QUIET)                              # Boost::headers
endif()
set(has_remote OFF)
if(PROJECT_IS_TOP_LEVEL OR (TARGET Boost::headers AND OPENSSL_FOUND))
  set(has_remote ON)
endif()
option(LONGSHORE_REMOTE "Let open() reach servers, which needs OpenSSL and Boost's headers"
       ${has_remote})

if(PROJECT_IS_TOP_LEVEL)
  find_package(fmt 9 REQUIRED)                                # fmt::fmt
  find_package(Boost 1.81 REQUIRED COMPONENTS context json)   # Boost::json; tests: Boost::context
  find_package(spdlog 1.10 REQUIRED)                          # spdlog::spdlog
  find_package(tomlplusplus 3.3 REQUIRED)                     # tomlplusplus::tomlplusplus
  find_package(CLI11 2.1 REQUIRED)                            # CLI11::CLI11
  find_package(GTest 1.12 REQUIRED)                           # tests only
  find_package(rapidcheck REQUIRED)                           # tests only: rapidcheck
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)   # tests only: tests/tidy

  include(GoogleTest)
endif()
