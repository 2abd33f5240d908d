# shellcheck shell=bash
# Part of ./dev: whether the tests notice what they should.

command_mutants() { # [--resume name]  plant faults one by one: some test must notice each
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  mkdir -p build-mutants
  python3 -B tests/mutants/run.py . "$@"
}
