# shellcheck shell=bash
# Part of ./dev: the stages of a test run and their results.

passed=0
failed=0
failed_stages=()
stage_rows=()
nothing_to_test=no
run_started=$SECONDS
# The current stage, for its progress.
stage_name=
stage_number=0
stage_count=0
stage_seconds=

# A stage runs tests by label, and a label is a folder of tests/. The first stage runs all labels
# that no later stage names, so that no test is left out.
readonly later_labels='attack|sim|faults|e2e|profiles|sdk|cli|crash|chaos|browser|fuzz|models'

test_all() {
  stage_count=$(declare -f test_all | grep -c '^ *stage "')
  row "set-up" "" "$((SECONDS - run_started))"
  stage "format and clang-tidy" 3 check_tree
  stage "builds" 15 build_all
  [[ " ${failed_stages[*]} " != *" builds "* ]] || nothing_to_test=yes
  stage "unit and conformance" 5 run_labels -LE "^($later_labels)\$"
  stage "sanitizers" 5 run_sanitized
  stage "simulation and disk faults" 3 run_labels -L '^(sim|faults)$'
  stage "end to end" 7 run_waiting -L '^(e2e|profiles)$'
  stage "attacks" 3 run_labels -L '^attack$'
  stage "SDKs" 2 run_labels -L '^sdk$'
  stage "command line and packages" 4 run_labels -L '^cli$'
  stage "crashes" 4 run_labels -L '^(crash|chaos)$'
  stage "browser" 3 run_labels -L '^browser$'
  stage "fuzz and models" 2 run_labels -L '^(fuzz|models)$'
  row "all" 40 "$((SECONDS - run_started))"
  print_summary
}

test_matching() {
  build release || return 1
  local -a which=(-R "$1")
  [ -d "tests/$1" ] && which=(-L "^$1\$")
  run_tests "${which[@]}" --no-tests=error || failed_stages+=("$1")
  print_closing
}

# stage NAME BUDGET_MINUTES COMMAND...: runs and times a stage, and adds a row to the table. A
# command that finds no tests returns 3, and the stage fails: the tests were left out of the build.
stage() {
  local name=$1 budget=$2 started=$SECONDS status=0
  shift 2
  stage_number=$((stage_number + 1))
  if [ "$nothing_to_test" = yes ]; then
    row "$name" "$budget" "not run"
    return 0
  fi
  stage_name=$name stage_seconds=$((budget * 60))
  say "Stage $stage_number of $stage_count: $name (budget $budget:00)"
  "$@" || status=$?
  stage_name='' stage_seconds=''
  if [ "$status" -eq 3 ]; then
    row "$name" "$budget" "no tests"
    failed_stages+=("$name: no tests were found; see build/configure.log")
    return 0
  fi
  row "$name" "$budget" "$((SECONDS - started))"
  [ "$status" -eq 0 ] || failed_stages+=("$name")
}

build_all() {
  build release || { fail "The release build failed"; return 1; }
  build asan "${address_tests[@]##*/}" || { fail "The asan build failed"; return 1; }
  build tsan "${thread_tests[@]##*/}" || { fail "The tsan build failed"; return 1; }
}

# run_labels -L|-LE LABELS
run_labels() {
  has_tests "$@" || return 3
  run_tests "$@"
}

# The same for tests that mostly wait for leases, back-offs and deadlines: runs 1.5 times as many in
# parallel. With twice as many, tests that kill a server under load see too little load.
run_waiting() {
  local tests_at_once=$((jobs + jobs / 2))
  run_labels "$@"
}

# The tests that run under AddressSanitizer with UndefinedBehaviorSanitizer, and under
# ThreadSanitizer: code with manual memory management and threads. Run directly, since ctest needs
# all programs built.
readonly address_tests=(
  unit/core/unit_core unit/store_memory/unit_store_memory unit/store_sqlite/unit_store_sqlite
  unit/store_redis/unit_store_redis unit/engine/unit_engine unit/runtime/unit_runtime
  unit/worker/unit_worker unit/http/unit_http conformance/conformance
)
readonly thread_tests=(
  unit/engine/unit_engine unit/runtime/unit_runtime unit/worker/unit_worker unit/http/unit_http
  unit/store_sqlite/unit_store_sqlite
)

run_sanitized() {
  local test status=0
  {
    printf 'asan %s\n' "${address_tests[@]}"
    printf 'tsan %s\n' "${thread_tests[@]}"
  } | while read -r preset test; do
    echo "$(build_folder "$preset")/tests/$test" "$(sanitized_log "$preset" "$test")"
  done | xargs -P "$jobs" -n 2 bash -c "$run_to_log" _ |
    show_progress lines "sanitized programs" --expect "$stage_seconds" \
      --total $((${#address_tests[@]} + ${#thread_tests[@]})) || true
  for test in "${address_tests[@]}"; do check_program asan "$test" || status=1; done
  for test in "${thread_tests[@]}"; do check_program tsan "$test" || status=1; done
  return "$status"
}

sanitized_log() { echo "$(build_folder "$1")/${2##*/}.log"; }

# Sanitizers do not see the memory of database servers, so the conformance suite skips those stores
# here. The last line of the log is the exit code.
readonly run_to_log='
  "$1" --gtest_filter="-*postgres*:*redis*" >"$2" 2>&1 </dev/null
  echo "ended with $?" >>"$2"
  echo "$2"'

check_program() {
  local preset=$1 test=$2 log status=0
  log=$(sanitized_log "$preset" "$test")
  count_cases "${test##*/} under $preset" "$log" || status=1
  [ "$(tail -n 1 "$log")" = "ended with 0" ] || status=1
  [ "$status" -eq 0 ] || cat "$log" >&2
  return "$status"
}

# Counts the results of a GoogleTest program. A program that ended before its summary has failed.
count_cases() {
  local name=$1 log=$2 good bad
  good=$(sed -nE 's/^\[  PASSED  \] ([0-9]+) tests?\.$/\1/p' "$log")
  bad=$(grep -cE '^\[  FAILED  \] [A-Za-z]+.* \([0-9]+ ms\)$' "$log") || true
  [ -n "$good" ] && ! grep -q 'WARNING: ThreadSanitizer' "$log" || bad=$((bad > 0 ? bad : 1))
  passed=$((passed + ${good:-0}))
  failed=$((failed + bad))
  say "$name: ${good:-0} passed, $bad failed"
  [ "$bad" -eq 0 ]
}

has_tests() { ! ctest --test-dir build -N "$@" | grep -q '^Total Tests: 0$'; }

# run_tests CTEST_OPTION...: counts the results, shows failures, prints the tests' reports.
run_tests() {
  local log=build/tests.log status=0
  rm -rf build/reports && mkdir -p build/reports
  LONGSHORE_REPORTS="$PWD/build/reports" ctest --test-dir build --output-on-failure \
    --parallel "${tests_at_once:-$jobs}" "$@" 2>&1 </dev/null | tee "$log" |
    show_progress ctest "${stage_name:-tests}" ${stage_seconds:+--expect "$stage_seconds"} ||
    status=1
  count_tests "$log" || status=1
  [ "$status" -eq 0 ] || grep -vE '( Passed +[0-9.]+ sec| Start +[0-9]+: )' "$log" >&2 || true
  find build/reports -type f -print0 | sort -z | xargs -0 -r cat
  return "$status"
}

# Adds the results of ctest to the totals. A skipped test counts as failed; ctest counts it as
# passed.
count_tests() {
  local log=$1 bad all skipped
  local summary='^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$'
  read -r bad all < <(sed -nE "s/$summary/\1 \2/p" "$log") ||
    { fail "No tests were run; see $log"; return 1; }
  skipped=$(grep -cE '\((Skipped|Disabled)\)$' "$log") || true
  bad=$((bad + skipped))
  failed=$((failed + bad))
  passed=$((passed + all - bad))
  say "$((all - bad)) passed, $bad failed"
  [ "$bad" -eq 0 ]
}

row() { stage_rows+=("$1|$2|$3"); }

# Formats seconds as 1:05; leaves other text unchanged.
as_time() {
  case "$1" in
    *[!0-9]*) echo "$1" ;;
    *) printf '%d:%02d' $(($1 / 60)) $(($1 % 60)) ;;
  esac
}

print_summary() {
  local entry name budget took note
  printf '\n%-28s %8s %8s\n' stage time budget
  for entry in "${stage_rows[@]}"; do
    IFS='|' read -r name budget took <<<"$entry"
    note=
    [[ -n $budget && $took =~ ^[0-9]+$ && $took -gt $((budget * 60)) ]] && note='  over budget'
    printf '%-28s %8s %8s%s\n' "$name" "$(as_time "$took")" "${budget:+$budget:00}" "$note"
  done
  echo
  print_closing
}

print_closing() {
  local stage
  for stage in "${failed_stages[@]}"; do fail "failed: $stage" || true; done
  echo "$passed passed, $failed failed"
  [ ${#failed_stages[@]} -eq 0 ]
}
