"""Reads a table by numpy or pandas and writes its numbers as raw float64 and its text line by line.

reread.py TABLE NUMBERS TEXT
"""

import sys

import numpy as np
import pandas as pd


def columns(path):
    if ".npy" in path:
        return list(np.load(path).T)
    if ".npz" in path:
        archive = np.load(path)
        return [*archive["X"].T, archive["group"]]
    separator = "\t" if ".tsv" in path else ","
    frame = pd.read_csv(path, sep=separator, float_precision="round_trip", keep_default_na=False,
                        na_values={"x": [""], "y": [""]}, encoding="utf-8")
    return [frame[name].to_numpy() for name in frame.columns]


def main():
    table, numbers, text = sys.argv[1:]
    with open(numbers, "wb") as number_file, open(text, "wb") as text_file:
        for column in columns(table):
            if column.dtype.kind in "fiu":
                number_file.write(column.astype("<f8").tobytes())
            else:
                for cell in column:
                    text_file.write(str(cell).encode() + b"\0")


if __name__ == "__main__":
    main()
