"""Weights of PyTorch become a network that conflux-reproduce looks through."""

import os
import pathlib
import pickle
import re
import subprocess
import sys
import types
import unittest
import zipfile

import numpy as np
from support import CommandTest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAGIC, VERSION = 0x1950A86A20F9469CFC6C, 1001
SIDE, SIDE_OF_INCEPTION = 28, 299


class Inception:
    """pytorch-fid's network written down once more, with two channels each and weights made up as it runs."""

    def __init__(self):
        self.rng = np.random.default_rng(3)
        self.state = {}

    def conv(self, name, x, height=1, width=1, stride=1, pad=(0, 0)):
        """Convolution, batch normalization, relu; x is height x width x channels."""
        padded = np.pad(x, ((pad[0],) * 2, (pad[1],) * 2, (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (height, width), (0, 1))[::stride, ::stride]

        def convolve(kernel):
            return np.einsum("ijcyx,ocyx->ijo", windows, kernel, optimize=True)

        if f"{name}.conv.weight" not in self.state:
            draw = self.rng.standard_normal
            kernel = draw((2, x.shape[2], height, width))
            # As in a trained network: what passes is of size one, so that no channel dies.
            first = convolve(kernel)
            self.state.update({
                f"{name}.conv.weight": kernel, f"{name}.bn.weight": 1 + draw(2) / 4, f"{name}.bn.bias": 0.5 + draw(2) / 4,
                f"{name}.bn.running_mean": first.mean(axis=(0, 1)), f"{name}.bn.running_var": first.var(axis=(0, 1)),
                f"{name}.bn.num_batches_tracked": np.array(7)})
        kernel, scale, shift, mean, variance = (
            self.state[f"{name}.{part}"] for part in ("conv.weight", "bn.weight", "bn.bias", "bn.running_mean",
                                                      "bn.running_var"))
        return np.maximum((convolve(kernel) - mean) / np.sqrt(variance + 0.001) * scale + shift, 0)

    @staticmethod
    def pool(x, by, stride=1):
        """3 x 3; with stride 1 the size is kept and what lies outside does not count."""
        pad = 1 if stride == 1 else 0
        padded = np.pad(x, ((pad, pad), (pad, pad), (0, 0)), constant_values=np.nan)
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (0, 1))[::stride, ::stride]
        return by(windows, axis=(3, 4))

    def block_a(self, n, x):
        c = self.conv
        five = c(f"{n}.branch5x5_2", c(f"{n}.branch5x5_1", x), 5, 5, pad=(2, 2))
        three = c(f"{n}.branch3x3dbl_2", c(f"{n}.branch3x3dbl_1", x), 3, 3, pad=(1, 1))
        three = c(f"{n}.branch3x3dbl_3", three, 3, 3, pad=(1, 1))
        return [c(f"{n}.branch1x1", x), five, three, c(f"{n}.branch_pool", self.pool(x, np.nanmean))]

    def block_b(self, n, x):
        double = self.conv(f"{n}.branch3x3dbl_2", self.conv(f"{n}.branch3x3dbl_1", x), 3, 3, pad=(1, 1))
        return [self.conv(f"{n}.branch3x3", x, 3, 3, 2), self.conv(f"{n}.branch3x3dbl_3", double, 3, 3, 2),
                self.pool(x, np.max, 2)]

    def block_c(self, n, x):
        c = self.conv
        one = c(f"{n}.branch7x7_2", c(f"{n}.branch7x7_1", x), 1, 7, pad=(0, 3))
        one = c(f"{n}.branch7x7_3", one, 7, 1, pad=(3, 0))
        two = c(f"{n}.branch7x7dbl_1", x)
        for part, (height, width) in zip("2345", ((7, 1), (1, 7), (7, 1), (1, 7))):
            two = c(f"{n}.branch7x7dbl_{part}", two, height, width, pad=(height // 2, width // 2))
        return [c(f"{n}.branch1x1", x), one, two, c(f"{n}.branch_pool", self.pool(x, np.nanmean))]

    def block_d(self, n, x):
        c = self.conv
        seven = c(f"{n}.branch7x7x3_2", c(f"{n}.branch7x7x3_1", x), 1, 7, pad=(0, 3))
        seven = c(f"{n}.branch7x7x3_3", seven, 7, 1, pad=(3, 0))
        return [c(f"{n}.branch3x3_2", c(f"{n}.branch3x3_1", x), 3, 3, 2), c(f"{n}.branch7x7x3_4", seven, 3, 3, 2),
                self.pool(x, np.max, 2)]

    def block_e(self, n, x, by):
        c = self.conv
        three = c(f"{n}.branch3x3_1", x)
        double = c(f"{n}.branch3x3dbl_2", c(f"{n}.branch3x3dbl_1", x), 3, 3, pad=(1, 1))
        ends = [c(f"{n}.branch{stem}a", y, 1, 3, pad=(0, 1)) if part == "a" else
                c(f"{n}.branch{stem}b", y, 3, 1, pad=(1, 0))
                for stem, y in (("3x3_2", three), ("3x3dbl_3", double)) for part in "ab"]
        return [c(f"{n}.branch1x1", x), *ends, c(f"{n}.branch_pool", self.pool(x, by))]

    @staticmethod
    def larger(image):
        """Bilinear, pixels as squares."""
        at = np.clip((np.arange(SIDE_OF_INCEPTION) + 0.5) * SIDE / SIDE_OF_INCEPTION - 0.5, 0, SIDE - 1)
        rows = np.array([np.interp(at, np.arange(SIDE), row) for row in image])
        return np.array([np.interp(at, np.arange(SIDE), column) for column in rows.T]).T

    def features(self, image):
        """Features of a gray image with values from 0 to 1."""
        x = np.repeat(2 * self.larger(image)[:, :, None] - 1, 3, axis=2)
        x = self.conv("Conv2d_2a_3x3", self.conv("Conv2d_1a_3x3", x, 3, 3, 2), 3, 3)
        x = self.pool(self.conv("Conv2d_2b_3x3", x, 3, 3, pad=(1, 1)), np.max, 2)
        x = self.pool(self.conv("Conv2d_4a_3x3", self.conv("Conv2d_3b_1x1", x), 3, 3), np.max, 2)
        for name, block in [("5b", self.block_a), ("5c", self.block_a), ("5d", self.block_a), ("6a", self.block_b),
                            ("6b", self.block_c), ("6c", self.block_c), ("6d", self.block_c), ("6e", self.block_c),
                            ("7a", self.block_d)]:
            x = np.concatenate(block(f"Mixed_{name}", x), axis=2)
        x = np.concatenate(self.block_e("Mixed_7b", x, np.nanmean), axis=2)
        return np.concatenate(self.block_e("Mixed_7c", x, np.nanmax), axis=2).mean(axis=(0, 1))


class Stored:
    """A tensor as PyTorch pickles it."""

    def __init__(self, key, values):
        self.key = key
        self.values = np.asarray(values, "<i8" if np.asarray(values).dtype.kind == "i" else "<f4")

    def __reduce__(self):
        strides = tuple(s // self.values.itemsize for s in self.values.strides)
        return sys.modules["torch._utils"]._rebuild_tensor_v2, (self.storage(), 0, self.values.shape, strides, False, {})

    def storage(self):
        out = Storage()
        out.of = self
        return out


class Storage:
    """Numbers of a tensor: a pickle has their place only."""


class Pickler(pickle.Pickler):

    def persistent_id(self, obj):
        if not isinstance(obj, Storage):
            return None
        kind = "LongStorage" if obj.of.values.dtype.kind == "i" else "FloatStorage"
        return ("storage", getattr(sys.modules["torch"], kind), obj.of.key, "cpu", obj.of.values.size)


def stand_in_for_torch():
    """Modules that pickles name."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")

    def _rebuild_tensor_v2(*_):
        raise AssertionError("never called")

    _rebuild_tensor_v2.__module__ = "torch._utils"
    _rebuild_tensor_v2.__qualname__ = "_rebuild_tensor_v2"
    utils._rebuild_tensor_v2 = _rebuild_tensor_v2
    for name in ("FloatStorage", "LongStorage"):
        setattr(torch, name, type(name, (), {"__module__": "torch"}))
    sys.modules.update({"torch": torch, "torch._utils": utils})


def write_old(path, state):
    """Write a row of pickles."""
    with open(path, "wb") as file:
        for value in (MAGIC, VERSION, {"little_endian": True}):
            pickle.dump(value, file, 2)
        Pickler(file, 2).dump(state)
        pickle.dump([each.key for each in state.values()], file, 2)
        for each in state.values():
            file.write(np.int64(each.values.size).tobytes() + each.values.tobytes())


def write_zip(path, state):
    """Write a zip archive."""
    with zipfile.ZipFile(path, "w") as archive:
        with archive.open("net/data.pkl", "w") as file:
            Pickler(file, 2).dump(state)
        for each in state.values():
            archive.writestr(f"net/data/{each.key}", each.values.tobytes())


class FeatureFiles(CommandTest):

    def convert(self, *words):
        return subprocess.run([sys.executable, ROOT / "tools/convert_fid_weights.py", *words], cwd=self.folder,
                              capture_output=True, text=True, check=False)

    def test_weights_of_both_layouts_see_what_the_network_sees(self):
        stand_in_for_torch()
        rng, network = np.random.default_rng(1), Inception()
        images = rng.random((8, SIDE, SIDE)) ** np.repeat([1, 3], 4)[:, None, None]
        seen = np.array([network.features(image) for image in images])
        state = {name: Stored(str(k), values) for k, (name, values) in enumerate(network.state.items())}
        write_old(self.folder / "old.pth", state)
        write_zip(self.folder / "new.pth", state)
        np.save(self.folder / "images.npy", images.reshape(8, -1))
        for name in ("old", "new"):
            done = self.convert(f"{name}.pth", f"{name}.npz")
            self.assertEqual(done.returncode, 0, done.stderr)
            printed = subprocess.run([os.environ["PRINT_FEATURES"], f"{name}.npz", "images.npy"], cwd=self.folder,
                                     capture_output=True, text=True, check=True).stdout
            found = np.array([[float(x) for x in line.split(",")] for line in printed.splitlines()])
            self.assertEqual(found.shape, seen.shape)
            self.assertLess(abs(found - seen).max(), 1e-4 * abs(seen).max())

    def test_other_files_are_refused(self):
        stand_in_for_torch()
        write_zip(self.folder / "other.pth", {"fc.weight": Stored("0", np.zeros((2, 2)))})
        done = self.convert("other.pth", "out.npz")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("the file has no Conv2d_1a_3x3.conv.weight", done.stderr)
        with zipfile.ZipFile(self.folder / "evil.pth", "w") as archive:
            archive.writestr("net/data.pkl", b"cos\nsystem\n(S'true'\ntR.")
        done = self.convert("evil.pth", "out.npz")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("the file makes os.system", done.stderr)
        # Files that are likely mistaken for it are refused in one sentence.
        np.savez(self.folder / "arrays.npz", X=np.zeros(3))
        (self.folder / "table.csv").write_text("x,y\n1,2\n")
        (self.folder / "empty.pth").write_bytes(b"")
        (self.folder / "cut.pth").write_bytes((self.folder / "other.pth").read_bytes()[:-30])
        for name in ("nothing.pth", ".", "arrays.npz", "table.csv", "empty.pth", "cut.pth"):
            done = self.convert(name, "out.npz")
            self.assertEqual(done.returncode, 1, name)
            self.assertRegex(done.stderr, rf"^{re.escape(name)}: .*; .*weights.*\n$")
        self.assertFalse((self.folder / "out.npz").exists())


if __name__ == "__main__":
    unittest.main()
