"""The installed files."""

import shutil
import subprocess
from pathlib import Path

import pytest

import conflux

FOLDER = Path(conflux.__file__).parent


@pytest.mark.parametrize("name", ["py.typed", "_core.pyi", "estimators.pyi", "data/digits.csv"])
def test_files_beside_the_modules_are_installed(name):
    assert (FOLDER / name).is_file()


# A wheel must work where libconflux is not.
def test_the_module_carries_the_library_inside():
    if shutil.which("ldd") is None:
        pytest.skip("no ldd")
    needed = subprocess.run(
        ["ldd", conflux._core.__file__], check=True, capture_output=True, text=True
    ).stdout
    assert "libtbb" in needed and "libconflux" not in needed and "not found" not in needed
