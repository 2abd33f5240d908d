# shellcheck shell=bash
# Part of ./dev: long runs with many seeds, kills and jobs.

command_sim() { # [options]    simulate a cluster: --seed N, --seeds N, --trace, --ground sqlite
  install_packages "${build_packages[@]}"
  build release longshore_sim
  [ $# -gt 0 ] || set -- --kept tests/sim/seeds.txt --seed 1 --seeds 5000
  simulate "$@"
}

simulate() {
  local commit
  commit=$(git describe --always --dirty 2>/dev/null) || commit=unknown
  LONGSHORE_COMMIT=$commit build/tests/sim/longshore_sim "$@"
}

# simulate_many SEEDS GROUND: distributes new seeds over the processors.
simulate_many() {
  local seeds=$(($1 / jobs)) ground=$2 part pid status=0
  local -a pids=()
  say "$1 seeds of a simulated cluster on $ground"
  for ((part = 0; part < jobs; part++)); do
    simulate --seed $((1000001 + part * seeds)) --seeds "$seeds" --ground "$ground" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || status=1; done
  return "$status"
}

command_soak() { # [attack, postgres, redis, fairness, burden, tidy or kills seeds]  run long tests
  case "${1:-}" in attack | postgres | redis | fairness | burden | tidy)
    "soak_$1" "${@:2}"
    return
    ;;
  esac
  local kills=${1:-50} seeds=${2:-1000000}
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  build release longshore_kills longshore_faults longshore_sim
  simulate_many 480000 memory
  simulate_many 20000 sqlite
  say "$kills kills of a process that calls the store, and of one that uses the library"
  build/tests/crash/longshore_kills --program store --kills "$kills"
  build/tests/crash/longshore_kills --program library --kills "$kills"
  soak_postgres
  soak_redis
  soak_fairness
  soak_burden
  soak_attack
  soak_tidy
  fail_many "$seeds"
}

# fail_many SEEDS: distributes seeds of a failing disk over the processors.
fail_many() {
  local seeds=$(($1 / jobs)) part pid status=0
  local -a pids=()
  say "$1 seeds of a failing disk"
  for ((part = 0; part < jobs; part++)); do
    build/tests/faults/longshore_faults --from $((1 + part * seeds)) --seeds "$seeds" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || status=1; done
  return "$status"
}

soak_postgres() {
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  build release longshore_storm longshore_program longshore_checker longshore_dump
  say "PostgreSQL under load: 200 closed connections, then 20 immediate restarts"
  build/tests/postgres/longshore_storm --cuts 200 --restarts 20
  say "Four servers and 32 worker slots on one database: 50,000 jobs, 20 kills"
  LONGSHORE_TEST_STORE=postgres python3 -B tests/e2e/fleet.py --jobs 50000 --kills 20
}

soak_redis() {
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  build release longshore_redis_storm
  say "Redis under load: 20 kills, cluster failovers, 20 slot migrations, power failures"
  build/tests/redis/longshore_redis_storm --times 20
}

soak_fairness() {
  local store
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  build release longshore_program
  for store in memory sqlite postgres redis redis_cluster; do
    say "Delay of due jobs and of expired leases under load, on $store"
    LONGSHORE_TEST_STORE=$store python3 -B tests/e2e/fairness.py
  done
}

soak_burden() { # [options]    of tests/e2e/burden.py: --size 0.1, --program PATH, names
  local store status=0
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  build release longshore_program
  for store in memory sqlite postgres redis redis_cluster; do
    say "Stale heads, full types, 500 namespaces, scans, bulk calls, a dead primary, on $store"
    LONGSHORE_TEST_STORE=$store python3 -B tests/e2e/burden.py "$@" || status=1
  done
  return "$status"
}

readonly schemathesis_version=4.32.5

# The full corpus of tests/attack with many thousand mutations on every store, then Schemathesis
# over our OpenAPI document. SEED is the random seed; default: a new one each time.
soak_attack() { # [seed]
  local seed=${1:-$RANDOM} store name status=0
  install_packages "${build_packages[@]}" "${test_packages[@]}"
  build release longshore_program
  install_schemathesis || return 1
  for store in sqlite postgres redis redis_cluster; do
    say "The full attack corpus on $store, seed $seed"
    for name in door fields forged http json mutations namespaces roles urls; do
      LONGSHORE_TEST_STORE=$store LONGSHORE_ATTACK_SIZE=full LONGSHORE_ATTACK_SEED=$seed \
        python3 -B "tests/attack/${name}_test.py" || status=1
    done
  done
  python3 -B tests/attack/openapi_soak.py build/schemathesis/bin/schemathesis --seed "$seed" \
    --examples 200 memory sqlite postgres redis || status=1
  return "$status"
}

# Installed from PyPI; no other command needs that.
install_schemathesis() {
  local folder=build/schemathesis
  "$folder/bin/schemathesis" --version 2>/dev/null | grep -qF "$schemathesis_version" && return 0
  say "Installing Schemathesis $schemathesis_version in $folder"
  python3 -m venv "$folder" &&
    "$folder/bin/pip" install --quiet "schemathesis==$schemathesis_version" ||
    fail "pip could not install Schemathesis $schemathesis_version"
}

# The whole tree; ./dev test checks only changed files.
soak_tidy() {
  say "clang-tidy on all of src and include"
  command_tidy
}
