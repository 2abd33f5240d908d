# shellcheck shell=bash
# Part of ./dev: static checks: format and clang-tidy.

# The number of files that clang-tidy checks within two minutes on two cores.
readonly tidy_in_gate=48

command_fmt() { # [--check]    format every C++ file
  install_packages clang-format
  local -a mode=(-i)
  [ "${1:-}" = --check ] && mode=(--dry-run --Werror)
  source_files | xargs -r clang-format "${mode[@]}"
}

command_tidy() { # [path...]   run clang-tidy with thread-safety analysis; default: src include
  install_packages "${build_packages[@]}" clang-tidy-19
  configure_tidy || return 1
  [ $# -gt 0 ] || set -- src include
  local path
  for path in "$@"; do translation_units "$path"; done | sort -u | tidy_files
}

# Configures without unity builds, so that each file is checked on its own. CMake runs again if a
# list of files has changed.
configure_tidy() {
  configure release build-tidy -DLONGSHORE_UNITY=OFF || return 1
  cmake --build build-tidy --target build.ninja -- --quiet >build-tidy/configure.log 2>&1 || {
    cat build-tidy/configure.log >&2
    return 1
  }
}

# tidy_files [OPTION...]: reads names of translation units and prints the findings of clang-tidy.
tidy_files() {
  local status=0
  rm -rf build-tidy/found && mkdir -p build-tidy/found
  cat >build-tidy/files
  xargs -r -I UNIT -P "$jobs" bash -c "$tidy_one" _ UNIT "$@" <build-tidy/files |
    show_progress lines "clang-tidy" --total "$(wc -l <build-tidy/files)" || status=1
  find build-tidy/found -type f -print0 | sort -z | xargs -0 -r cat >&2
  return "$status"
}

# One output file per unit, so that parallel runs do not mix. Exits with 1 if there are findings
# (xargs would stop at 255).
readonly tidy_one='
  found="build-tidy/found/$(echo "$1" | tr / _)"
  status=0
  clang-tidy-19 -p build-tidy --quiet --extra-arg=-Wno-unknown-warning-option "${@:2}" "$1" \
    >"$found" 2>&1 || status=1
  [ "$status" -eq 1 ] || rm "$found"
  echo "$1"
  exit "$status"'

# check_tree: the first stage of ./dev test. Counts each check as a test.
check_tree() {
  local status=0
  check "format (fix with ./dev fmt)" command_fmt --check || status=1
  check "clang-tidy on changed files" tidy_changed || status=1
  return "$status"
}

check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    say "$name: passed"
  else
    failed=$((failed + 1))
    fail "$name: failed"
  fi
}

# clang-tidy on the files of src and include that changed, the most changed ones first and no more
# than $tidy_in_gate; `./dev soak tidy` checks the whole tree, also for performance-*, so that a
# small change does not require fixing the code around it.
tidy_changed() {
  local base
  base=$(base_commit) || {
    say "No history to compare with: clang-tidy is left to ./dev soak tidy"
    return 0
  }
  configure_tidy || return 1
  local -a units
  mapfile -t units < <(changed_files "$base" | units_of_files)
  say "${#units[@]} translation units of src and include changed since ${base:0:12}"
  if [ ${#units[@]} -gt "$tidy_in_gate" ]; then
    say "Checking the $tidy_in_gate most changed; ./dev soak tidy checks the others:"
    printf '    %s\n' "${units[@]:tidy_in_gate}" | sed "s|$PWD/||"
  fi
  [ ${#units[@]} -eq 0 ] || printf '%s\n' "${units[@]:0:tidy_in_gate}" |
    tidy_files '--checks=-performance-*'
}

# The merge base with the main branch, or on that branch itself the previous commit. LONGSHORE_BASE
# names another branch. Fails in a clone without history.
base_commit() {
  local head branch base
  head=$(git rev-parse --verify --quiet HEAD) || return 1
  for branch in ${LONGSHORE_BASE:+"$LONGSHORE_BASE"} origin/HEAD origin/main main; do
    base=$(git merge-base HEAD "$branch" 2>/dev/null) || continue
    [ "$base" = "$head" ] || { echo "$base"; return 0; }
  done
  git rev-parse --verify --quiet 'HEAD~1'
}

# changed_files BASE: C++ files of src and include that differ from it, the most changed first;
# files not yet added to git come last.
changed_files() {
  git diff --numstat --no-renames --diff-filter=d "$1" -- 'src/*.h' 'src/*.cpp' 'include/*.h' |
    awk '{ print $1 + $2 "\t" $3 }' | sort -rn | cut -f 2
  git ls-files --others --exclude-standard 'src/*.h' 'src/*.cpp' 'include/*.h'
}

# units_of_files: maps names of files to the translation units that contain them.
units_of_files() {
  local file unit
  while read -r file; do
    unit=$file
    case "$file" in src/*.h) unit=$(unit_of_header "$file") ;; esac
    [ -z "$unit" ] || translation_units "$unit" 2>/dev/null || true
  done | awk '!seen[$0]++'
}

# unit_of_header HEADER: the source of the same name, or else the first source that includes it,
# directly or through another header.
unit_of_header() {
  local header=$1 steps unit
  for steps in 1 2 3; do
    unit=${header%.h}.cpp
    [ -e "$unit" ] || unit=$(first_includer '*.cpp' "$header")
    [ -z "$unit" ] || break
    header=$(first_includer '*.h' "$header")
    [ -n "$header" ] || break
  done
  echo "$unit"
}

first_includer() { # KIND HEADER
  { grep -rlF --include="$1" "#include \"${2#src/}\"" src || true; } | sort | sed -n 1p
}

source_files() {
  git ls-files --cached --others --exclude-standard '*.h' '*.cpp' 2>/dev/null ||
    find bench examples include src tests -name '*.h' -o -name '*.cpp'
}

# The compiled files of a path. For public headers these are the generated files that include a
# single header each, such as longshore/error.h.cxx.
translation_units() {
  local path=${1%/} pattern="^$PWD/${1%/}"
  case "$path" in
    include*) pattern="/longshore_headers_verify_interface_header_sets${path#include}.*\.cxx\$" ;;
  esac
  grep -oP '"file": "\K[^"]+' build-tidy/compile_commands.json | grep -E "$pattern" ||
    fail "Nothing is compiled from $path"
}
