#!/usr/bin/env bash
# Makes a virtual environment that sees the packages of an interpreter with numpy: $PYTHON if that is
# set, else Debian's, else the first python3 of the PATH. The first python3 alone may be another one,
# without Debian's packages.
set -euo pipefail
venv=$1
candidates=(/usr/bin/python3 python3)
[ -z "${PYTHON:-}" ] || candidates=("$PYTHON")
for candidate in "${candidates[@]}"; do
  taken=$(command -v "$candidate" || true)
  [ -n "$taken" ] &&
    "$taken" -c 'import sys, numpy, venv; sys.exit(sys.version_info < (3, 9))' 2>/dev/null && break
  taken=
done
[ -n "$taken" ] || {
  echo "no Python 3.9 with numpy: tried ${candidates[*]}; install python3-numpy, or set PYTHON" >&2
  exit 1
}
echo "python: $taken, $("$taken" -c 'import sys, numpy; print(sys.version.split()[0], "with numpy", numpy.__version__)')"
# An environment of another interpreter would keep its packages.
if ! grep -qsxF "home = $(dirname "$(readlink -f "$taken")")" "$venv/pyvenv.cfg"; then
  rm -rf "$venv"
  "$taken" -m venv --system-site-packages "$venv"
fi
