"""Reads the arrays of a PyTorch file without PyTorch.

Both layouts are read: the zip archives of today and the row of pickles from before version 1.6. A pickle
can run any code; here it may make dictionaries and tensors and nothing else.
"""

import collections
import io
import pickle
import zipfile

import numpy as np

MAGIC = 0x1950A86A20F9469CFC6C
TYPES = {"FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2", "LongStorage": "<i8", "IntStorage": "<i4"}


class Storage:
    """Numbers that tensors are views of; old files have them behind the tensors."""

    def __init__(self, kind, count):
        self.values = np.zeros(count, TYPES[kind])


def tensor(storage, offset, size, stride, *_):
    """Stand in for torch._utils._rebuild_tensor_v2."""
    return ("tensor", storage, offset, tuple(size), tuple(stride))


class Unpickler(pickle.Unpickler):
    """Makes dictionaries, tensors and their storages."""

    def __init__(self, file, load):
        super().__init__(file)
        self.load_storage = load

    def find_class(self, module, name):
        """Return what may be made."""
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if module == "torch._utils" and name in ("_rebuild_tensor_v2", "_rebuild_tensor"):
            return tensor
        if module == "torch._utils" and name == "_rebuild_parameter":
            return lambda data, *_: data
        if module == "torch" and name in TYPES:
            return name
        raise pickle.UnpicklingError(f"the file makes {module}.{name}, which is no array of weights")

    def persistent_load(self, pid):
        """Return the storage that a tensor is a view of."""
        return self.load_storage(*pid[1:3], pid[4])


def read_zip(file):
    """Return the dictionary of a zip archive."""
    with zipfile.ZipFile(file) as archive:
        described = next(name for name in archive.namelist() if name.endswith("data.pkl"))
        folder = described[: -len("data.pkl")]

        def load(kind, key, count):
            out = Storage(kind, 0)
            out.values = np.frombuffer(archive.read(f"{folder}data/{key}"), TYPES[kind], count)
            return out

        return Unpickler(io.BytesIO(archive.read(described)), load).load()


def read_row_of_pickles(file):
    """Return the dictionary of an old file: magic number, version, machine, dictionary, keys, numbers."""
    storages = {}

    def load(kind, key, count):
        return storages.setdefault(key, Storage(kind, count))

    def none(*_):
        raise pickle.UnpicklingError("tensors before the dictionary")

    if Unpickler(file, none).load() != MAGIC:
        raise ValueError("neither a zip archive nor an old PyTorch file")
    Unpickler(file, none).load()
    Unpickler(file, none).load()
    out = Unpickler(file, load).load()
    for key in Unpickler(file, none).load():
        values = storages[key].values
        count = int(np.frombuffer(file.read(8), "<i8")[0])
        data = file.read(count * values.itemsize)
        if count != len(values) or len(data) != count * values.itemsize:
            raise ValueError("the file ends before its numbers do")
        storages[key].values = np.frombuffer(data, values.dtype)
    return out


def read_made(path):
    """Return the dictionary of a file, or a ValueError of whatever a strange file breaks."""
    try:
        with open(path, "rb") as file:
            return read_zip(file) if zipfile.is_zipfile(path) else read_row_of_pickles(file)
    except (pickle.UnpicklingError, zipfile.BadZipFile, EOFError, KeyError, IndexError, StopIteration) as error:
        raise ValueError(str(error).rstrip(".") or "no file of PyTorch") from None


def read_tensors(path):
    """Return the arrays of the file by name."""
    made = read_made(path)
    if not isinstance(made, dict):
        raise ValueError("it holds no dictionary of arrays")
    out = {}
    for name, value in made.items():
        if not isinstance(value, tuple) or value[0] != "tensor":
            continue
        _, storage, offset, size, stride = value
        strides = [each * storage.values.itemsize for each in stride]
        reach = offset + sum((s - 1) * t for s, t in zip(size, stride)) if 0 not in size else 0
        if reach >= len(storage.values) and 0 not in size:
            raise ValueError(f"{name} reaches beyond its numbers")
        out[name] = np.lib.stride_tricks.as_strided(storage.values[offset:], size, strides).copy()
    return out
