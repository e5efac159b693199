#!/usr/bin/env python3
"""Writes tests/golden/tables: small files of numpy and pandas that our readers must understand.

Numbers follow a rule that the tests repeat: cell (i, j) is 3 i + j, and for floats (3 i + j) / 4 - 1.
"""

import gzip
import pathlib
import struct

import numpy as np
import pandas as pd

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/tables"
ROWS, COLS = 5, 3
WHOLE = 3 * np.arange(ROWS)[:, None] + np.arange(COLS)
FLOATS = WHOLE / 4 - 1
GROUPS = ["a", "béta", "a", "", "γ,δ"]


def save_npy(name, array, version=(1, 0)):
    with open(OUT / name, "wb") as file:
        np.lib.format.write_array(file, array, version=version)


def save_idx(name, code, array, kind):
    head = struct.pack(">BBBB", 0, 0, code, array.ndim)
    dims = struct.pack(f">{array.ndim}I", *array.shape)
    opener = gzip.open if name.endswith(".gz") else open
    with opener(OUT / name, "wb") as file:
        file.write(head + dims + array.astype(kind).tobytes())


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for name in ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
        array = FLOATS if name[0] == "f" else WHOLE
        save_npy(f"little_{name}.npy", array.astype("<" + name))
        save_npy(f"big_{name}.npy", np.asfortranarray(array.astype(">" + name)))
    save_npy("bool.npy", WHOLE % 2 == 1)
    save_npy("line.npy", FLOATS[:, 0])
    save_npy("version2.npy", FLOATS, (2, 0))
    save_npy("version3.npy", FLOATS, (3, 0))
    save_npy("cube.npy", np.zeros((2, 2, 2)))
    save_npy("complex.npy", np.zeros((2, 2), complex))
    save_npy("records.npy", np.zeros(2, [("a", "f8"), ("b", "i4")]))

    np.savez(OUT / "unicode.npz", X=FLOATS, group=np.array(GROUPS))
    np.savez_compressed(OUT / "bytes.npz", X=np.asfortranarray(FLOATS.astype("f4")),
                        group=np.array([b"a", b"bb", b"a", b"", b"c"]))
    np.savez_compressed(OUT / "numbers.npz", values=FLOATS, batch=WHOLE[:, 0], other=np.arange(9))
    np.savez(OUT / "two.npz", a=FLOATS, b=FLOATS)

    save_idx("images-idx3-ubyte", 0x08, WHOLE.reshape(ROWS, 1, COLS), "u1")
    save_idx("labels-idx1-ubyte.gz", 0x08, WHOLE[:, 0], "u1")
    for name, code, kind in (("i1", 0x09, "i1"), ("i2", 0x0B, ">i2"), ("i4", 0x0C, ">i4"),
                             ("f4", 0x0D, ">f4"), ("f8", 0x0E, ">f8")):
        save_idx(f"{name}.idx", code, FLOATS if name[0] == "f" else WHOLE, kind)

    frame = pd.DataFrame({
        "x": [0.1, -1e300, np.nan, np.inf, 5e-324],
        "count": [1, -2, 3, 4, 5],
        "note": ['say "hi"', "two\nlines", "comma, here", " blanks ", "tab\there"],
        "id": ["007", "008", "009", "010", "011"],
    })
    frame.to_csv(OUT / "pandas.csv", index=False)
    frame.to_csv(OUT / "pandas_crlf_bom.csv", index=False, lineterminator="\r\n",
                 encoding="utf-8-sig")
    frame.to_csv(OUT / "pandas.tsv.gz", index=False, sep="\t",
                 compression={"method": "gzip", "mtime": 1})
    frame.to_csv(OUT / "pandas_no_header.csv", index=False, header=False)


if __name__ == "__main__":
    main()
