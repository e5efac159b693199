#!/usr/bin/env python3
"""Copies the libraries that a program needs beside it, so that it runs where they are not installed.

usage: bundle_libraries.py PROGRAM FOLDER RPATH

Those of the C and C++ languages are left to the system, as wheels for many Linux systems do.
"""

import pathlib
import re
import shutil
import subprocess
import sys

SYSTEM = re.compile(r"^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libgcc_s|libstdc\+\+)[.-]")


def libraries_of(program):
    """Return the path of every library that a program loads, by name."""
    lines = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found = dict(re.findall(r"^\s*(\S+) => (/\S+)", lines, re.M))
    missing = re.findall(r"^\s*(\S+) => not found", lines, re.M)
    if missing:
        sys.exit(f"{program}: {', '.join(missing)} not found; install the packages of make build")
    return {name: path for name, path in found.items() if not SYSTEM.match(name)}


def bundle(program, folder, rpath):
    """Copy libraries into a folder, and let the program look for them there before anywhere else."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in sorted(libraries_of(program).items()):
        copy = folder / name
        shutil.copyfile(pathlib.Path(path).resolve(), copy)
        copy.chmod(0o644)
        # They find each other in their own folder.
        subprocess.run(["patchelf", "--force-rpath", "--set-rpath", "$ORIGIN", copy], check=True)
    subprocess.run(["patchelf", "--force-rpath", "--set-rpath", rpath, program], check=True)


if __name__ == "__main__":
    bundle(*sys.argv[1:])
