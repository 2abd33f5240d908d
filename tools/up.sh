# shellcheck shell=bash
# Part of ./dev: a demo server with a sample worker and sample jobs.

readonly up_folder=build/up

command_up() { # [--detach]    build Longshore, start a server, a sample worker and sample jobs
  case "${1:-}" in
    "" | --detach) ;;
    *) fail "./dev up takes --detach or nothing"; return 2 ;;
  esac
  if runs server && [ "${1:-}" = --detach ]; then
    print_first_steps "$(served_url)"
    say "Already running; ./dev down stops them"
    return 0
  fi
  local taken="http://${LONGSHORE_LISTEN:-127.0.0.1:7788}"
  if runs server; then taken=$(served_url); fi
  if runs server || curl -s -o /dev/null "$taken/livez" 2>/dev/null; then
    fail "A server already listens at $taken; ./dev down stops one that ./dev up started"
    return 1
  fi
  install_packages "${build_packages[@]}" curl
  build release longshore_program
  mkdir -p "$up_folder"
  start_server || { stop_all; return 1; }
  local url
  url=$(served_url)
  start_worker "$url"
  start_jobs "$url"
  print_first_steps "$url"
  if [ "${1:-}" = --detach ]; then
    say "Running in the background; ./dev down stops them"
    return 0
  fi
  say "Press Ctrl-C to stop"
  trap 'stop_all; exit 0' INT TERM
  local ended=0
  wait -n || ended=$?
  stop_all
  fail "The server, the worker or the sample jobs ended unexpectedly ($ended); see $up_folder/*.log"
}

command_down() { #          stop what ./dev up --detach started
  stop_all
}

# Prints the end of its log if the server does not become ready.
start_server() {
  : >"$up_folder/server.log" # served_url must not read an earlier run
  start server build/longshore serve --store "sqlite:$up_folder/longshore.db" \
    --log-format human --log-level info
  until [ -n "$(served_url)" ]; do
    kill -0 "$(<"$up_folder/server.pid")" 2>/dev/null || {
      tail -n 3 "$up_folder/server.log" >&2
      fail "The server did not start"
      return 1
    }
    sleep 0.1
  done
}

# The URL from the server's log, since the address may come from a file or have port 0. Empty before
# the server is ready.
served_url() {
  sed -nE 's/^.* serving address=[^ ]+ url=([^ ]+) .*$/\1/p' "$up_folder/server.log" |
    tail -n 1
}

start_worker() { # URL
  local -a types=(--exec GREET=examples/programs/greet)
  local type
  for type in CRATE PARCEL INVOICE; do types+=(--exec "$type=examples/programs/unload"); done
  start worker build/longshore work --server "$1" --worker-name crane --concurrency 4 \
    --queue default --queue quay --queue office "${types[@]}"
}

# About one job per second.
start_jobs() { start jobs examples/programs/sample_jobs "$1"; } # URL

# start NAME PROGRAM ARGUMENT...: in the background, in a session of its own, which Ctrl-C does not
# reach.
start() {
  local name=$1
  shift
  setsid "$@" >"$up_folder/$name.log" 2>&1 </dev/null &
  echo $! >"$up_folder/$name.pid"
}

# Whether the process of this name still runs. A process ID that another program reuses does not
# count.
runs() {
  local pid
  pid=$(cat "$up_folder/$1.pid" 2>/dev/null) || return 1
  case "$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline")" in
    build/longshore\ * | *examples/programs/sample_jobs\ *) return 0 ;;
    *) return 1 ;;
  esac
}

# Stops the worker before the server, so that it can still report outcomes.
stop_all() {
  local name pid
  for name in jobs worker server; do
    if runs "$name"; then
      pid=$(<"$up_folder/$name.pid")
      kill "$pid" && while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    fi
    rm -f "$up_folder/$name.pid"
  done
}

print_first_steps() { # URL
  say "Longshore listens at $1; a worker runs about one sample job per second"
  say "Dashboard: $1/ui/"
  say "Enqueue a job, follow its events and read its result:"
  cat <<END

  job=\$(curl -s --json '{"jobType": "GREET", "payload": {"name": "Ada"}}' $1/jobs \\
        | cut -d '"' -f 4)
  curl -sN $1/jobs/\$job/events
  curl -s $1/jobs/\$job/result

END
}
