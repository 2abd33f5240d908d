#!/usr/bin/env bash
# A PostgreSQL server for tests, in a folder that is created for it and removed with it. It listens
# only on a socket in that folder, and never runs as root.
#
#   server.sh start FOLDER     in the background, for several programs
#   server.sh run FOLDER       in the foreground; ends with its parent process
#   server.sh restart FOLDER   like a power cut, except for the disk
#   server.sh copy FOLDER      copies its data
#   server.sh set_back FOLDER  restores that copy
#   server.sh stop FOLDER      and removes everything
set -euo pipefail

verb=$1
folder=$2
data=$folder/data
# The newest installed version, unless LONGSHORE_TEST_POSTGRES_PROGRAMS names another bin folder.
programs=${LONGSHORE_TEST_POSTGRES_PROGRAMS:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null |
  sort -V | tail -n 1)}
if [ -z "$programs" ]; then
  echo "PostgreSQL is not installed: apt-get install postgresql-15" >&2
  exit 1
fi

# initdb and postgres refuse root.
rights=()
if [ "$(id -u)" -eq 0 ]; then
  rights=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi

# fsync stays on, which is the default.
settings=(
  -c "listen_addresses=" -c "unix_socket_directories=$folder" -c max_connections=300
  -c shared_buffers=128MB -c autovacuum_naptime=5s -c logging_collector=off
  -c max_locks_per_transaction=256
)

create() {
  mkdir -p "$folder"
  [ -e "$data/PG_VERSION" ] && return 0
  [ "$(id -u)" -eq 0 ] && chown postgres:postgres "$folder"
  (cd "$folder" && "${rights[@]}" "$programs/initdb" -D "$data" -U postgres --auth=trust \
    --encoding=UTF8 --locale=C --no-instructions >"$folder/initdb.log" 2>&1) ||
    { cat "$folder/initdb.log" >&2; exit 1; }
}

control() {
  (cd "$folder" && "${rights[@]}" "$programs/pg_ctl" -D "$data" -l "$folder/server.log" -w -t 60 \
    -o "${settings[*]@Q}" "$@" >"$folder/control.log" 2>&1 </dev/null) ||
    { cat "$folder/control.log" "$folder/server.log" >&2; exit 1; }
}

case $verb in
  start)
    create
    control start
    ;;
  run)
    create
    cd "$folder"
    # Dropping rights clears the parent-death signal, so it is set afterwards.
    exec "${rights[@]}" setpriv --pdeathsig INT "$programs/postgres" -D "$data" "${settings[@]}" \
      >>"$folder/server.log" 2>&1
    ;;
  restart)
    control -m immediate restart
    ;;
  copy)
    control -m immediate stop
    rm -rf "$folder/copy"
    cp -a "$data" "$folder/copy"
    control start
    ;;
  set_back)
    control -m immediate stop
    rm -rf "$data"
    cp -a "$folder/copy" "$data"
    control start
    ;;
  stop)
    [ ! -e "$data/postmaster.pid" ] || control -m immediate stop
    rm -rf "$folder"
    ;;
  *)
    echo "server.sh start|run|restart|copy|set_back|stop FOLDER" >&2
    exit 2
    ;;
esac
