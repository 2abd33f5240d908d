# shellcheck shell=bash
# Part of ./dev: mutation testing.

command_mutants() { # [--resume name]  plant faults one by one; each must make a test fail
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  mkdir -p build-mutants
  python3 -B tests/mutants/run.py . "$@"
}
