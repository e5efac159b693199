#!/usr/bin/env bash
# run.sh PREFIX [LIB]: installs the R package against the libconflux of PREFIX into a folder that goes again, and runs its tests.
set -euo pipefail
command -v R >/dev/null || { echo "SKIPPED: R is not installed (r-base-core)"; exit 77; }
here=$(cd "$(dirname "$0")/../.." && pwd)
CONFLUX_HOME=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# R leaves what it compiles beside the sources.
cp -r "$here/r" "$folder/conflux"
mkdir "$folder/library"
version=$("$CONFLUX_HOME/bin/conflux" --version | cut -d' ' -f2)
grep -qx "Version: $version" "$here/r/DESCRIPTION" || { echo "r/DESCRIPTION is not of version $version"; exit 1; }
export CONFLUX_LIB=$CONFLUX_HOME/${2:-lib}
export CONFLUX_HOME CONFLUX=$CONFLUX_HOME/bin/conflux R_LIBS=$folder/library
R CMD INSTALL --no-multiarch --library="$folder/library" "$folder/conflux" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
cd "$folder"
Rscript --vanilla conflux/tests/laws.R
