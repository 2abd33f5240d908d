#!/usr/bin/env bash
# Installs exactly what the lock files of the dashboard and of its tests name, unless it is there.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

for folder in ui tests/ui; do
  mark="$folder/node_modules/.installed"
  if ! cmp -s "$folder/package-lock.json" "$mark"; then
    # Not `npm ci`: it wants packages in the lock file that only other systems would install.
    rm -rf "$folder/node_modules"
    npm install --prefix "$folder" --no-save --ignore-scripts --no-audit --no-fund
    cp "$folder/package-lock.json" "$mark"
  fi
done
