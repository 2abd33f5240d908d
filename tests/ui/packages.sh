#!/usr/bin/env bash
# Installs the locked packages of the dashboard and of its tests, unless they are installed.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

for folder in ui tests/ui; do
  mark="$folder/node_modules/.installed"
  if ! cmp -s "$folder/package-lock.json" "$mark"; then
    # Not `npm ci`: it requires lock file entries for packages of other operating systems.
    rm -rf "$folder/node_modules"
    npm install --prefix "$folder" --no-save --ignore-scripts --no-audit --no-fund
    cp "$folder/package-lock.json" "$mark"
  fi
done
