#!/usr/bin/env bash
# Installs the Debian packages that a step needs and the machine lacks:
# build (default), test, python, lint, clang, package, study, web, site, r, peers, torch, neural.
set -euo pipefail
build="g++ cmake make ninja-build python3 libeigen3-dev libopenblas-dev libtbb-dev libhwy-dev
       librandom123-dev liblemon-dev libfmt-dev zlib1g-dev libzstd-dev libzip-dev libfast-float-dev
       nlohmann-json3-dev libxxhash-dev libxgboost-dev libcli11-dev libgtest-dev libgmock-dev librapidcheck-dev
       libbenchmark-dev libpng-dev libhdf5-dev libnetcdf-dev libmicrohttpd-dev
       libopenmpi-dev openmpi-bin"
test="python3-numpy python3-pandas python3-netcdf4 r-base-core"
python="pybind11-dev python3-dev python3-venv python3-pip python3-numpy
        python3-pytest python3-mypy flake8
        python3-sklearn python3-pandas python3-matplotlib python3-anndata python3-tqdm python3-xarray
        python3-distributed python3-scipy python3-igraph"
clang="clang libclang-rt-14-dev"
lint="clang clang-format clang-tidy"
package="dpkg-dev lintian patchelf"
study="python3-numpy python3-pandas python3-scipy python3-sklearn python3-pot python3-matplotlib"
# Large. npm may have come with nodejs itself, so it is not asked for again.
web="chromium fonts-dejavu-core $(command -v npm >/dev/null || echo npm)"
site="pandoc doxygen"
# The R package; large.
r="r-base-core r-bioc-singlecellexperiment"
# Other programs that studies/peer_study.py compares with; large.
peers="r-bioc-limma r-bioc-sva r-cran-seurat python3-pot python3-numpy python3-pandas python3-scipy python3-sklearn
       python3-anndata python3-pil"
# Of single studies, and large.
torch="python3-torch"
neural="python3-torch python3-numpy python3-scipy"
missing=()
for step in "${@:-build}"; do
  for package in ${!step}; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
      missing+=("$package")
  done
done
[ ${#missing[@]} -eq 0 ] && exit 0
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "missing packages: ${missing[*]}; install them as root" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
