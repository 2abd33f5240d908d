# shellcheck shell=bash
# Part of ./dev: what is checked by reading the code, its format and clang-tidy.

# As many files as clang-tidy reads within two minutes on two cores.
readonly tidy_in_gate=48

command_fmt() { # [--check]    format every C++ file
  install_packages clang-format
  local -a mode=(-i)
  [ "${1:-}" = --check ] && mode=(--dry-run --Werror)
  source_files | xargs -r clang-format "${mode[@]}"
}

command_tidy() { # [path...]   clang-tidy, with thread-safety analysis; default: src include
  install_packages "${build_packages[@]}" clang-tidy-19
  configure_tidy || return 1
  [ $# -gt 0 ] || set -- src include
  local path
  for path in "$@"; do translation_units "$path"; done | sort -u | tidy_files
}

# Looks at each file by itself, also at those that are compiled many at once. CMake runs again if a
# list of files has changed.
configure_tidy() {
  configure release build-tidy -DLONGSHORE_UNITY=OFF || return 1
  cmake --build build-tidy --target build.ninja -- --quiet >build-tidy/configure.log 2>&1 || {
    cat build-tidy/configure.log >&2
    return 1
  }
}

# tidy_files [OPTION...]: reads names of translation units; prints what clang-tidy finds in each.
tidy_files() {
  local status=0
  rm -rf build-tidy/found && mkdir -p build-tidy/found
  cat >build-tidy/files
  xargs -r -I UNIT -P "$jobs" bash -c "$tidy_one" _ UNIT "$@" <build-tidy/files |
    show_progress lines "clang-tidy" --total "$(wc -l <build-tidy/files)" || status=1
  find build-tidy/found -type f -print0 | sort -z | xargs -0 -r cat >&2
  return "$status"
}

# Its own file for each, so that two at once are not mixed up. Ends with 1 where something was found
# (xargs would give up at 255).
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
  check "format (./dev fmt mends it)" command_fmt --check || status=1
  check "clang-tidy on what changed" tidy_changed || status=1
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
# than $tidy_in_gate; `./dev soak tidy` looks at the whole tree. Advice about speed (performance-*)
# is left to that as well: who changes a line need not mend the copies around it.
tidy_changed() {
  local base
  base=$(base_commit) || {
    say "No history tells what changed: clang-tidy is left to ./dev soak tidy"
    return 0
  }
  configure_tidy || return 1
  local -a units
  mapfile -t units < <(changed_files "$base" | units_of_files)
  say "${#units[@]} translation units of src and include changed since ${base:0:12}"
  if [ ${#units[@]} -gt "$tidy_in_gate" ]; then
    say "The $tidy_in_gate most changed are read here; the others by ./dev soak tidy:"
    printf '    %s\n' "${units[@]:tidy_in_gate}" | sed "s|$PWD/||"
  fi
  [ ${#units[@]} -eq 0 ] || printf '%s\n' "${units[@]:0:tidy_in_gate}" |
    tidy_files '--checks=-performance-*'
}

# Where this work began: its merge base with the main branch, or on that branch itself the commit
# before the last. LONGSHORE_BASE names another branch. Fails in a clone without history.
base_commit() {
  local head branch base
  head=$(git rev-parse --verify --quiet HEAD) || return 1
  for branch in ${LONGSHORE_BASE:+"$LONGSHORE_BASE"} origin/HEAD origin/main main; do
    base=$(git merge-base HEAD "$branch" 2>/dev/null) || continue
    [ "$base" = "$head" ] || { echo "$base"; return 0; }
  done
  git rev-parse --verify --quiet 'HEAD~1'
}

# changed_files BASE: C++ files of src and include that differ from it, the most changed first; new
# ones that nobody has added to git come last.
changed_files() {
  git diff --numstat --no-renames --diff-filter=d "$1" -- 'src/*.h' 'src/*.cpp' 'include/*.h' |
    awk '{ print $1 + $2 "\t" $3 }' | sort -rn | cut -f 2
  git ls-files --others --exclude-standard 'src/*.h' 'src/*.cpp' 'include/*.h'
}

# units_of_files: names of files in, the translation units by which clang-tidy sees them out.
units_of_files() {
  local file unit
  while read -r file; do
    unit=$file
    case "$file" in src/*.h) unit=$(unit_of_header "$file") ;; esac
    [ -z "$unit" ] || translation_units "$unit" 2>/dev/null || true
  done | awk '!seen[$0]++'
}

# unit_of_header HEADER: the file of its name, or else the first that includes it, or a header that
# does.
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

# The files the compiler is given for a path. For public headers those are the generated ones,
# longshore/error.h.cxx, that include a single header each.
translation_units() {
  local path=${1%/} pattern="^$PWD/${1%/}"
  case "$path" in
    include*) pattern="/longshore_headers_verify_interface_header_sets${path#include}.*\.cxx\$" ;;
  esac
  grep -oP '"file": "\K[^"]+' build-tidy/compile_commands.json | grep -E "$pattern" ||
    fail "Nothing is compiled from $path"
}
