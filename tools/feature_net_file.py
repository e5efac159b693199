"""Writes networks for `conflux reproduce --features-net FILE.npz`; docs/formats.md has the layout."""

import re

import numpy as np

INCEPTION_SIDE = 299


def image_shape(text):
    """Return (height, width, channels) of a text like 28x28x1."""
    found = re.fullmatch(r"(\d+)x(\d+)x([13])", text)
    if not found:
        raise ValueError(f'"{text}" is no shape of images; write HEIGHTxWIDTHxCHANNELS with 1 or 3 channels, as in 28x28x1')
    return tuple(map(int, found.groups()))


class NetFile:
    """Lines and arrays of a network, added in the order in which images pass."""

    def __init__(self):
        self.lines = []
        self.arrays = {}

    def add(self, name, operation, inputs=(), **settings):
        """Add a line and return its name."""
        words = [f"{name}:", operation, *inputs, *(f"{k}={v}" for k, v in settings.items())]
        self.lines.append(" ".join(words))
        return name

    def inception_image(self, shape):
        """Add what Inception networks take: colors from -1 to 1, 299 x 299."""
        height, width, channels = shape
        x = self.add("image", "image", height=height, width=width, channels=channels, low=-1, high=1)
        if (height, width) != (INCEPTION_SIDE, INCEPTION_SIDE):
            x = self.add("resized", "resize", [x], height=INCEPTION_SIDE, width=INCEPTION_SIDE)
        return self.add("colors", "repeat", [x], channels=3) if channels == 1 else x

    def conv(self, name, x, kernel, normalization, stride=1, pad=(0, 0)):
        """Add a convolution, its batch normalization and what is above zero of it.

        kernel: height x width x channels x outputs. normalization: scale (or 1), shift, mean, variance and
        the number that is added to the variance.
        """
        scale, shift, mean, variance, epsilon = normalization
        factor = scale / np.sqrt(np.asarray(variance, np.float64) + epsilon)
        self.arrays[f"{name}.weights"] = np.ascontiguousarray(kernel * factor, np.float32)
        self.arrays[f"{name}.bias"] = (shift - mean * factor).astype(np.float32)
        return self.add(name, "conv", [x], weights=name, stride=stride, pad_height=pad[0], pad_width=pad[1], relu=1)

    def save(self, path):
        """Write the file."""
        np.savez(path, layers=np.array(self.lines), **self.arrays)
