#!/usr/bin/env bash
# Installs the wheel into a fresh environment, with numpy and pytest of the system, and runs tests with it.
#   packaging/try_wheel.sh FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
wheel=$(realpath "$(ls -t "$1"/conflux-*.whl | head -1)")
venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT
/usr/bin/python3 -m venv --system-site-packages "$venv"
"$venv/bin/pip" install --quiet --no-deps --no-index "$wheel"
cd "$venv"
bin/python -c 'import conflux; print("conflux", conflux.__version__, "from", conflux.__file__)'
# Where the sources are, they would hide what is installed.
bin/python -m pytest -q -p no:cacheprovider -c "$here/../python/pyproject.toml" --rootdir "$here/../python" "$here/../python/tests"/test_{package,input,align,frames,columns}.py
echo "$wheel: $(du -h "$wheel" | cut -f1), works in a fresh environment"
