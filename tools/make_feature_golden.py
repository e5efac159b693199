#!/usr/bin/env python3
"""Makes tests/golden/features: networks, images and their features, worked out by numpy.

    tools/make_feature_golden.py tests/golden/features src/features

Every operation is written here once more, as a plain loop over places.
"""

import pathlib
import sys

import numpy as np

LAYERS = [
    "input: image height=7 width=6 channels=1 low=-1 high=1",
    "big: resize input height=11 width=9",
    "three: repeat big channels=3",
    "a: conv three weights=a stride=2 pad_height=1 relu=1",
    "b: conv a weights=b pad=1",
    "c: avgpool a size=3 stride=1 pad=1",
    "d: maxpool a size=3 stride=1 pad=1",
    "joined: concat b c d",
    "small: maxpool joined size=2 stride=2",
    "means: mean small",
    "out: dense means weights=e",
]


def resize(x, height, width):
    """Return a bilinear copy of another size."""
    out = np.zeros((height, width, x.shape[2]))
    for i in range(height):
        for j in range(width):
            y = min(max((i + 0.5) * x.shape[0] / height - 0.5, 0), x.shape[0] - 1)
            z = min(max((j + 0.5) * x.shape[1] / width - 0.5, 0), x.shape[1] - 1)
            a, b = int(y), int(z)
            c, d = min(a + 1, x.shape[0] - 1), min(b + 1, x.shape[1] - 1)
            s, t = y - a, z - b
            out[i, j] = (1 - s) * ((1 - t) * x[a, b] + t * x[a, d]) + s * ((1 - t) * x[c, b] + t * x[c, d])
    return out


def places(x, size, stride, pad):
    """Return rows and columns of all windows, each with what lies inside."""
    out = []
    for i in range((x.shape[0] + 2 * pad[0] - size[0]) // stride + 1):
        row = []
        for j in range((x.shape[1] + 2 * pad[1] - size[1]) // stride + 1):
            y, z = i * stride - pad[0], j * stride - pad[1]
            row.append((y, z, x[max(y, 0):y + size[0], max(z, 0):z + size[1]]))
        out.append(row)
    return out


def conv(x, weights, bias, stride=1, pad=(0, 0)):
    """Return a convolution; beyond the edges are zeros."""
    padded = np.pad(x, ((pad[0], pad[0]), (pad[1], pad[1]), (0, 0)))
    size = weights.shape[:2]
    return np.array([[np.tensordot(window, weights, 3) + bias for _, _, window in row]
                     for row in places(padded, size, stride, (0, 0))])


def pool(x, size, stride, pad, by):
    """Return the largest or mean value of what lies inside each window."""
    return np.array([[by(window, axis=(0, 1)) for _, _, window in row]
                     for row in places(x, (size, size), stride, (pad, pad))])


def small_net(rng):
    """Return the arrays of a network with all operations, and its features of three images."""
    shapes = {"a": (3, 2, 3, 4), "b": (3, 3, 4, 5), "e": (13, 6)}
    w = {name: rng.standard_normal(shape).astype(np.float32) / 3 for name, shape in shapes.items()}
    bias = {name: rng.standard_normal(shape[-1]).astype(np.float32) for name, shape in shapes.items()}
    images = rng.random((3, 7, 6, 1))
    features = []
    for image in images:
        x = np.repeat(resize(2 * image - 1, 11, 9), 3, axis=2)
        a = np.maximum(conv(x, w["a"], bias["a"], 2, (1, 0)), 0)
        joined = np.concatenate([conv(a, w["b"], bias["b"], 1, (1, 1)), pool(a, 3, 1, 1, np.mean),
                                 pool(a, 3, 1, 1, np.max)], axis=2)
        means = pool(joined, 2, 2, 0, np.max).mean(axis=(0, 1))
        features.append(means @ w["e"] + bias["e"])
    arrays = {f"{name}.weights": value for name, value in w.items()}
    arrays.update({f"{name}.bias": value for name, value in bias.items()})
    return dict(layers=np.array(LAYERS), images=images.reshape(3, -1), features=np.array(features), **arrays)


def features_of_built_in(path, images):
    """Return the features of a network that train_feature_nets.py made."""
    net = np.load(path)
    out = []
    for image in images:
        x = image.reshape(28, 28, 1)
        for name in ("conv1", "conv2"):
            x = np.maximum(conv(x, net[f"{name}.weights"], net[f"{name}.bias"]), 0)
            x = pool(x, 2, 2, 0, np.max)
        out.append(np.maximum(x.reshape(-1) @ net["dense1.weights"] + net["dense1.bias"], 0))
    return np.array(out)


def main():
    """Write the files."""
    target, nets = map(pathlib.Path, sys.argv[1:])
    rng = np.random.default_rng(5)
    np.savez_compressed(target / "small_net.npz", **small_net(rng))
    images = rng.random((2, 784)) * (rng.random((2, 784)) < 0.3)
    features = {name: features_of_built_in(nets / f"{name}_net.npz", images) for name in ("mnist", "fashion_mnist")}
    np.savez_compressed(target / "built_in_nets.npz", layers=np.array(["none"]), images=images, **features)


if __name__ == "__main__":
    main()
