#!/usr/bin/env python3
"""Writes tests/golden/tables: small files of numpy and pandas that our readers must understand.

Numbers follow a rule that the tests repeat: cell (i, j) is 3 i + j, and for floats (3 i + j) / 4 - 1.
"""

import functools
import gzip
import pathlib
import struct

import h5py
import netCDF4
import numpy as np
import pandas as pd
import scipy.io

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


def save_climate(name, kind):
    """Two variables on a grid of 4 days x 2 x 1 places, one packed, one cell missing; one on another grid."""
    with netCDF4.Dataset(OUT / name, "w", format=kind) as file:
        file.title = "made for tests"
        for dim, values, units in (("time", [363, 364, 365, 366], "days since 1980-01-01"),
                                   ("lat", [40, 50], "degrees_north"), ("lon", [5], "degrees_east")):
            file.createDimension(dim, len(values))
            axis = file.createVariable(dim, "f8", (dim,))
            axis[:] = values
            axis.units = units
        file["time"].calendar = "noleap"
        warmth = file.createVariable("tas", "f4", ("time", "lat", "lon"), fill_value=1e20)
        warmth.units = "K"
        warmth[:] = np.ma.masked_equal(270 + np.arange(8.0), 273).reshape(4, 2, 1)
        rain = file.createVariable("pr", "i2", ("time", "lat", "lon"), fill_value=-1)
        rain.scale_factor, rain.add_offset = 0.5, 1.0
        rain[:] = 1 + 0.5 * np.arange(8.0).reshape(4, 2, 1)
        file.createVariable("height", "f4", ("lat", "lon"))[:] = [[1], [2]]
        file.createVariable("crs", "i4", ())[:] = 0


def save_matlab():
    """Matrices beside texts, numbers and what no table holds: packed, with samples as columns, and as HDF5."""
    cells = np.array(GROUPS, dtype=object)
    others = {"part": {"a": 1.0}, "cube": np.zeros((2, 2, 2)), "waves": np.array([[1j]])}
    save = functools.partial(scipy.io.savemat, long_field_names=True)
    save(OUT / "plain.mat", {"X": FLOATS, "batch": cells, "count": WHOLE[:, 0].astype("i2"), **others})
    save(OUT / "packed.mat", {"values": FLOATS.astype("f4").T, "who": np.array(["ab", "c", "ab", "c", "d"])},
         do_compression=True)
    save(OUT / "two.mat", {"A": FLOATS, "B": FLOATS})
    for name in ("plain.mat", "packed.mat", "two.mat"):
        with open(OUT / name, "r+b") as file:
            file.write(b"MATLAB 5.0 MAT-file, made for tests".ljust(116))  # in place of the date
    with h5py.File(OUT / "new.mat", "w", userblock_size=512) as file:
        for name, values in (("Xs", FLOATS), ("Ys", WHOLE[:1, :1].repeat(ROWS, 1))):
            file.create_dataset(name, data=values).attrs["MATLAB_class"] = np.bytes_("double")
    with open(OUT / "new.mat", "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


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
    save_matlab()
    save_climate("climate.nc", "NETCDF4")
    save_climate("climate_classic.nc", "NETCDF3_CLASSIC")


if __name__ == "__main__":
    main()
