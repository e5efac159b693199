"""Builds wheels of conflux: CMake makes the files, this packs them.

pip calls the functions that PEP 517 names. Only the standard library is used, so that a build needs
nothing but CMake, a compiler, and the Debian packages that tools/install_packages.sh lists.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

METADATA = """\
Metadata-Version: 2.1
Name: conflux
Version: {version}
Summary: Aligns groups of samples by invertible flows
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy>=1.20
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: conflux build_backend
Root-Is-Purelib: false
Tag: {tag}
"""


def _version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(conflux VERSION ([0-9.]+)", text).group(1)


def _bundled():
    # For others, with all libraries inside; without, for the machine that builds.
    return os.environ.get("CONFLUX_BUNDLE") == "1"


def _tag():
    python = "cp%d%d" % sys.version_info[:2]
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    if _bundled():
        libc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")
        platform = platform.replace("linux", f"manylinux_{libc}", 1)
    return f"{python}-{python}-{platform}"


def _run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], cwd=ROOT, check=True)


def _install_into(target):
    if shutil.which("cmake") is None or shutil.which("ninja") is None:
        sys.exit("cmake or ninja is missing; run tools/install_packages.sh build python")
    # The folder of `make`: the library is compiled once for the command and for Python.
    build = ROOT / "build" / "release"
    print("building for", sys.executable, flush=True)
    # Without -U, CMake would go on with the interpreter that it found first.
    forget = [f"-U{names}" for names in ("Python_*", "_Python_*", "PYTHON_*", "PYBIND11_*")]
    _run("cmake", "--preset", "release", *forget, "-DCONFLUX_BUILD_PYTHON=ON",
         f"-DPython_EXECUTABLE={sys.executable}")
    _run("cmake", "--build", build, "--target", "conflux_python")
    _run("cmake", "--install", build, "--prefix", target, "--component", "python")


def _bundle(folder):
    module = next(Path(folder, "conflux").glob("_core*.so"))
    _run("strip", "--strip-unneeded", module)
    _run(sys.executable, ROOT / "packaging" / "bundle_libraries.py", module,
         Path(folder, "conflux.libs"), "$ORIGIN/../conflux.libs")


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version, tag = _version(), _tag()
    name = f"conflux-{version}-{tag}.whl"
    info = f"conflux-{version}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        _install_into(folder)
        if _bundled():
            _bundle(folder)
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file()
        }
    files[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = [f"{path},{_digest(data)},{len(data)}" for path, data in files.items()]
    record.append(f"{info}/RECORD,,")
    files[f"{info}/RECORD"] = ("\n".join(record) + "\n").encode()
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            # A fixed date: the same sources give the same wheel.
            entry = zipfile.ZipInfo(path, date_time=(2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError(
        "the package is built from the repository of the library; make a wheel: "
        "pip wheel --no-deps ./python"
    )
