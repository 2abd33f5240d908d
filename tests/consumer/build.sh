#!/usr/bin/env bash
# build.sh WAY SOURCE BUILD WORK: builds tests/consumer/project against Longshore and runs it.
#   find_package, pkg_config   against a copy of BUILD installed into WORK and then moved
#   add_subdirectory           with SOURCE as a part of it
set -euo pipefail
way=$1 source=$2 build=$3 work=$4
project="$source/tests/consumer/project"

rm -rf "$work" && mkdir -p "$work"
built="$work/build"

install_copy() {
  cmake --install "$build" --prefix "$work/installed" >"$work/install.log"
  # The installation must not contain the path it was installed to.
  mv "$work/installed" "$work/moved"
}

build_project() {
  cmake -S "$project" -B "$built" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" >"$work/cmake.log"
  cmake --build "$built" --parallel "${LONGSHORE_JOBS:-2}" --target consumer \
    >"$work/build.log" || { cat "$work/build.log"; exit 1; }
  "$built/consumer"
}

case "$way" in
  find_package)
    install_copy
    build_project "-DCMAKE_PREFIX_PATH=$work/moved"
    ;;
  add_subdirectory)
    # Directly in WORK: see CMakeLists.txt.
    built=$work
    build_project "-DLONGSHORE_SOURCE=$source"
    ;;
  pkg_config)
    install_copy
    PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name longshore.pc)")
    export PKG_CONFIG_PATH
    read -ra flags < <(pkg-config --cflags --libs longshore)
    "${CXX:-c++}" -std=c++20 "$project/main.cpp" "${flags[@]}" -o "$work/consumer"
    "$work/consumer"
    ;;
  *)
    echo "There is no way '$way'" >&2
    exit 2
    ;;
esac
