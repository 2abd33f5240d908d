# shellcheck shell=bash
# Part of ./dev: benchmarks.

readonly benchmarks=(store engine wire http crowd postgres redis worker sdk ui)

command_bench() { # [name]     run a benchmark; default: store
  local name=${1:-store}
  [[ " ${benchmarks[*]} " == *" $name "* ]] ||
    { fail "Unknown benchmark '$name'; use one of: ${benchmarks[*]}"; return 2; }
  if [ "$name" = ui ]; then bench_ui "${@:2}"; return; fi
  [ $# -gt 0 ] && shift
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  if [ "$name" = sdk ]; then
    install_node
    build release longshore_program
    python3 -B bench/sdk.py build/bench-data "$@"
    return
  fi
  build release "longshore_bench_$name"
  "build/bench/longshore_bench_$name" --dir build/bench-data "$@"
  # Also the workers of the SDKs, for comparison.
  if [ "$name" = worker ] && [ -e bench/sdk.py ]; then
    build release longshore_program
    python3 -B bench/sdk.py build/bench-data
  fi
}

# bench_ui [jobs] [folder]: opens every view on a store with that many finished jobs, 5 million by
# default. A store in a given folder is kept.
bench_ui() {
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  install_node
  build release longshore_program
  tests/ui/packages.sh
  node tests/ui/bench.mjs "$@"
}
