#!/usr/bin/env bash
# Installs the wheel into a fresh environment, with numpy from the system and nothing else, and uses it.
#   packaging/try_wheel.sh FOLDER
set -euo pipefail
wheel=$(ls -t "$1"/conflux-*.whl | head -1)
venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT
/usr/bin/python3 -m venv --system-site-packages "$venv"
"$venv/bin/pip" install --quiet --no-deps --no-index "$wheel"
cd "$venv"
bin/python - <<'PROGRAM'
import numpy
import conflux
rng = numpy.random.default_rng(0)
rows = rng.normal(size=(400, 3))
groups = numpy.repeat(["a", "b"], 200)
rows[200:] = 2 * rows[200:] + 1
aligned = conflux.align(rows, groups)
print("conflux", conflux.__version__, "from", conflux.__file__)
loaded = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
outside = sorted(path for path in loaded if "openblas" in path and "conflux" not in path)
print("aligned; OpenBLAS of others beside ours:", outside or "none")
PROGRAM
echo "$wheel: $(du -h "$wheel" | cut -f1), works in a fresh environment"
