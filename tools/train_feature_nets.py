#!/usr/bin/env python3
"""Trains the small networks of `conflux reproduce --features-net mnist|fashion-mnist`.

    tools/get_data.sh mnist && tools/get_data.sh fashion-mnist
    tools/train_feature_nets.py data studies/baselines

Two convolutions, a layer of 64 features and one of ten classes, trained to tell the classes of the
training images apart; the last layer is left out of the file. Only numpy is needed. The same seed
gives the same file on the same machine. The share of test images that are told rightly is printed.
"""

import pathlib
import struct
import sys

import numpy as np

SEED = 0
EPOCHS = 3
BATCH = 100
RATE = 2e-3
TRAINING_IMAGES_PER_CLASS = 6000
LAYERS = [
    "input: image height=28 width=28 channels=1 low=0 high=1",
    "a1: conv input weights=conv1 relu=1",
    "p1: maxpool a1 size=2 stride=2",
    "a2: conv p1 weights=conv2 relu=1",
    "p2: maxpool a2 size=2 stride=2",
    "features: dense p2 weights=dense1 relu=1",
]


def read_idx(path):
    """Return the array of an IDX file."""
    data = pathlib.Path(path).read_bytes()
    dimensions = data[3]
    shape = struct.unpack(f">{dimensions}i", data[4 : 4 + 4 * dimensions])
    return np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def read_set(folder):
    """Return training and test images and labels of a folder that get_data.sh wrote."""
    if (folder / "train-images-idx3-ubyte").exists():
        parts = [
            (read_idx(folder / f"{part}-images-idx3-ubyte"), read_idx(folder / f"{part}-labels-idx1-ubyte"))
            for part in ("train", "t10k")
        ]
        return (*parts[0], *parts[1])
    images = read_idx(folder / "all-images-idx3-ubyte")
    labels = read_idx(folder / "all-labels-idx1-ubyte")
    place = np.concatenate([np.arange(np.sum(labels == c)) for c in range(10)])
    train = place < TRAINING_IMAGES_PER_CLASS
    return images[train], labels[train], images[~train], labels[~train]


def patches(x, size):
    """Return all size x size patches of images, one row each, row by row."""
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(1, 2))
    windows = windows.transpose(0, 1, 2, 4, 5, 3)
    return windows.reshape(*windows.shape[:3], -1)


class Net:
    """The network with its gradients, worked out by hand."""

    def __init__(self, rng):
        def drawn(*shape):
            fan_in = int(np.prod(shape[:-1]))
            return (rng.standard_normal(shape) * np.sqrt(2 / fan_in)).astype(np.float32)

        self.w = {
            "conv1": drawn(5, 5, 1, 8),
            "conv2": drawn(5, 5, 8, 16),
            "dense1": drawn(256, 64),
            "dense2": drawn(64, 10),
        }
        self.b = {name: np.zeros(w.shape[-1], np.float32) for name, w in self.w.items()}

    def conv(self, name, x):
        w = self.w[name]
        rows = patches(x, w.shape[0])
        return rows, np.maximum(rows @ w.reshape(-1, w.shape[-1]) + self.b[name], 0)

    @staticmethod
    def pool(x):
        n, h, w, c = x.shape
        blocks = x.reshape(n, h // 2, 2, w // 2, 2, c)
        return blocks.max(axis=(2, 4)), blocks

    @staticmethod
    def unpool(slopes, pooled, blocks):
        first = blocks == pooled[:, :, None, :, None, :]
        n, h, _, w, _, c = blocks.shape
        return (first * slopes[:, :, None, :, None, :]).reshape(n, 2 * h, 2 * w, c)

    def forward(self, x):
        rows1, a1 = self.conv("conv1", x)
        p1, blocks1 = self.pool(a1)
        rows2, a2 = self.conv("conv2", p1)
        p2, blocks2 = self.pool(a2)
        flat = p2.reshape(len(x), -1)
        f = np.maximum(flat @ self.w["dense1"] + self.b["dense1"], 0)
        return f @ self.w["dense2"] + self.b["dense2"], (rows1, a1, p1, blocks1, rows2, a2, p2, blocks2, flat, f)

    def gradients(self, x, labels):
        scores, (rows1, a1, p1, blocks1, rows2, a2, p2, blocks2, flat, f) = self.forward(x)
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(len(x)), labels] -= 1
        p /= len(x)
        g = {"dense2": (f.T @ p, p.sum(0))}
        df = (p @ self.w["dense2"].T) * (f > 0)
        g["dense1"] = (flat.T @ df, df.sum(0))
        da2 = self.unpool((df @ self.w["dense1"].T).reshape(p2.shape), p2, blocks2) * (a2 > 0)
        g["conv2"] = self.conv_gradient("conv2", rows2, da2)
        w2 = self.w["conv2"]
        padded = np.pad(da2, ((0, 0), (4, 4), (4, 4), (0, 0)))
        turned = w2[::-1, ::-1].transpose(0, 1, 3, 2).reshape(-1, w2.shape[2])
        da1 = self.unpool(patches(padded, 5) @ turned, p1, blocks1) * (a1 > 0)
        g["conv1"] = self.conv_gradient("conv1", rows1, da1)
        return g

    def conv_gradient(self, name, rows, slopes):
        flat = slopes.reshape(-1, slopes.shape[-1])
        return (rows.reshape(len(flat), -1).T @ flat).reshape(self.w[name].shape), flat.sum(0)


def train(images, labels, rng):
    """Return a trained network."""
    net = Net(rng)
    state = {name: [np.zeros_like(v) for v in (w, w, net.b[name], net.b[name])] for name, w in net.w.items()}
    step, steps = 0, EPOCHS * (len(images) // BATCH)
    for _ in range(EPOCHS):
        order = rng.permutation(len(images))
        for at in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[at : at + BATCH]
            step += 1
            rate = RATE * (1 - step / (steps + 1)) * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            for name, (dw, db) in net.gradients(images[chosen], labels[chosen]).items():
                mw, vw, mb, vb = state[name]
                for value, slope, m, v in ((net.w[name], dw, mw, vw), (net.b[name], db, mb, vb)):
                    m += 0.1 * (slope - m)
                    v += 0.001 * (slope * slope - v)
                    value -= (rate * m / (np.sqrt(v) + 1e-8)).astype(np.float32)
    return net


def as_input(images):
    """Return images with values in [0, 1] and one channel."""
    return (images[..., None] / np.float32(255)).astype(np.float32)


def main():
    """Train and write one file per set."""
    data, target = map(pathlib.Path, sys.argv[1:])
    for name in ("mnist", "fashion-mnist"):
        images, labels, test, truth = read_set(data / name)
        net = train(as_input(images), labels, np.random.default_rng(SEED))
        said = np.concatenate([net.forward(as_input(part))[0].argmax(1) for part in np.array_split(test, 20)])
        print(f"{name}: {100 * np.mean(said == truth):.2f} % of {len(test)} test images are told rightly", flush=True)
        arrays = {f"{part}.{what}": values[part] for part in ("conv1", "conv2", "dense1")
                  for what, values in (("weights", net.w), ("bias", net.b))}
        np.savez_compressed(target / f"{name.replace('-', '_')}_net.npz", layers=np.array(LAYERS), **arrays)


if __name__ == "__main__":
    main()
