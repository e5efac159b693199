#!/usr/bin/env bash
# run.sh COMMAND FOLDER: the pages of COMMAND in a real browser. Libraries for that are kept in FOLDER.
# Where there is no browser, or no way to get the libraries, it says so and passes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
CONFLUX=$(realpath "$1")
mkdir -p "$2"
WEB_MODULES=$(realpath "$2")
CHROMIUM=$(command -v chromium || true)
skip() { echo "SKIPPED: $1; the pages were not looked at in a browser" >&2; exit 0; }
[ -n "$CHROMIUM" ] || skip "chromium is not installed"
command -v npm >/dev/null || skip "npm is not installed"
if ! cmp -s "$here/package-lock.json" "$WEB_MODULES/package-lock.json" || [ ! -d "$WEB_MODULES/node_modules" ]; then
  cp "$here/package.json" "$here/package-lock.json" "$WEB_MODULES"
  (cd "$WEB_MODULES" && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1) || {
    rm -f "$WEB_MODULES/package-lock.json"
    skip "npm could not install what package-lock.json names (see $WEB_MODULES/npm.log)"
  }
fi
export CONFLUX WEB_MODULES CHROMIUM
exec node --test --test-concurrency=1 "$here"/*.test.mjs
