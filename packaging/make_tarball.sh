#!/usr/bin/env bash
# A folder with the command, its manual and completions, and the libraries that it needs, as
# conflux-VERSION-linux-ARCH.tar.gz: unpack it anywhere and run bin/conflux. Then tries it elsewhere.
#   packaging/make_tarball.sh BUILD OUT
set -euo pipefail
build=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
name=conflux-$("$build/apps/conflux/conflux" --version | cut -d' ' -f2)-linux-$(uname -m)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cmake --install "$build" --prefix "$stage/$name" --component command --strip >/dev/null
cp "$here/../LICENSE" "$here/../README.md" "$stage/$name/"
python3 "$here/bundle_libraries.py" "$stage/$name/bin/conflux" "$stage/$name/lib/conflux" '$ORIGIN/../lib/conflux'
mkdir -p "$out"
tar -C "$stage" --sort=name --mtime="@${SOURCE_DATE_EPOCH:-0}" --owner=0 --group=0 --numeric-owner \
  --mode=go-w -cf - "$name" | gzip -9n >"$out/$name.tar.gz"

# From another place, with nothing of the build: a model of two moons that is used again.
mkdir "$stage/elsewhere"
tar -C "$stage/elsewhere" -xzf "$out/$name.tar.gz"
mv "$stage/$name" "$stage/gone"
conflux=$stage/elsewhere/$name/bin/conflux
"$conflux" generate moons --samples 100 -o "$stage/moons.csv" -q
"$conflux" fit "$stage/moons.csv" --group group -o "$stage/moons.conflux" -q
"$conflux" transform "$stage/moons.conflux" "$stage/moons.csv" -o "$stage/aligned.csv" -q
if ldd "$conflux" | grep -v "$stage\|linux-vdso\|ld-linux" |
    grep -Ev '=> /[^ ]*/lib(c|m|dl|pthread|rt|resolv|gcc_s|stdc\+\+)\.so'; then
  echo "$name needs more than the C and C++ libraries" >&2
  exit 1
fi
echo "$out/$name.tar.gz: $(du -h "$out/$name.tar.gz" | cut -f1), fits and moves rows where it is unpacked"
