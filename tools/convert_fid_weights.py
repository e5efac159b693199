#!/usr/bin/env python3
"""Makes a network for `conflux reproduce --features-net` of the weights of the published «FID».

    tools/convert_fid_weights.py pt_inception-2015-12-05-6726825d.pth fid.npz [--image 28x28x1]

The file is that of pytorch-fid, which everybody who computes FIDs with PyTorch has in a cache; it cannot be
had from Debian or npm, so it is not fetched. Only numpy is needed. What is written takes images as pytorch-fid
does (bilinear to 299 x 299, values from -1 to 1) and makes its 2048 features: the network of 2015
averages over what lies inside of an image only, and takes maxima in its last block. Frechet
distances of these features, of images that were rounded to 8 bits as other programs do, are FIDs.
"""

import argparse
import pathlib
import sys

from feature_net_file import NetFile, image_shape
from torch_file import read_tensors

EPSILON = 0.001


class Fid:
    """The network, block by block, named as in the file."""

    def __init__(self, tensors, image):
        self.tensors = tensors
        self.net = NetFile()
        self.last = self.net.inception_image(image)

    def conv(self, name, x, stride=1, pad=(0, 0)):
        """Add the convolution `name` and its normalization."""
        parts = ("conv.weight", "bn.weight", "bn.bias", "bn.running_mean", "bn.running_var")
        missing = [part for part in parts if f"{name}.{part}" not in self.tensors]
        if missing:
            sys.exit(f"the file has no {name}.{missing[0]}, so it is not the network of pytorch-fid")
        kernel, scale, shift, mean, variance = (self.tensors[f"{name}.{part}"] for part in parts)
        return self.net.conv(name, x, kernel.transpose(2, 3, 1, 0), (scale, shift, mean, variance, EPSILON), stride, pad)

    def chain(self, block, x, *steps):
        """Add convolutions of a block one after the other; a step is a name and how much is padded."""
        for name, *pad in steps:
            x = self.conv(f"{block}.{name}", x, pad=tuple(pad) or (0, 0))
        return x

    def pool(self, name, operation, x, stride=1):
        """Add a pool of 3 x 3; those of stride 1 keep the size."""
        return self.net.add(name, operation, [x], size=3, stride=stride, pad=1 if stride == 1 else 0)

    def join(self, name, *parts):
        """Add the block's channels."""
        self.last = self.net.add(name, "concat", parts)

    def block_a(self, name):
        """Add a block of 35 x 35 pixels."""
        x = self.last
        self.join(name, self.chain(name, x, ("branch1x1",)),
                  self.chain(name, x, ("branch5x5_1",), ("branch5x5_2", 2, 2)),
                  self.chain(name, x, ("branch3x3dbl_1",), ("branch3x3dbl_2", 1, 1), ("branch3x3dbl_3", 1, 1)),
                  self.chain(name, self.pool(f"{name}.pool", "avgpool", x), ("branch_pool",)))

    def block_b(self, name):
        """Add the block that goes to 17 x 17 pixels."""
        x = self.last
        double = self.chain(name, x, ("branch3x3dbl_1",), ("branch3x3dbl_2", 1, 1))
        self.join(name, self.conv(f"{name}.branch3x3", x, stride=2),
                  self.conv(f"{name}.branch3x3dbl_3", double, stride=2), self.pool(f"{name}.pool", "maxpool", x, 2))

    def block_c(self, name):
        """Add a block of 17 x 17 pixels."""
        x = self.last
        self.join(name, self.chain(name, x, ("branch1x1",)),
                  self.chain(name, x, ("branch7x7_1",), ("branch7x7_2", 0, 3), ("branch7x7_3", 3, 0)),
                  self.chain(name, x, ("branch7x7dbl_1",), ("branch7x7dbl_2", 3, 0), ("branch7x7dbl_3", 0, 3),
                             ("branch7x7dbl_4", 3, 0), ("branch7x7dbl_5", 0, 3)),
                  self.chain(name, self.pool(f"{name}.pool", "avgpool", x), ("branch_pool",)))

    def block_d(self, name):
        """Add the block that goes to 8 x 8 pixels."""
        x = self.last
        seven = self.chain(name, x, ("branch7x7x3_1",), ("branch7x7x3_2", 0, 3), ("branch7x7x3_3", 3, 0))
        self.join(name, self.conv(f"{name}.branch3x3_2", self.chain(name, x, ("branch3x3_1",)), stride=2),
                  self.conv(f"{name}.branch7x7x3_4", seven, stride=2), self.pool(f"{name}.pool", "maxpool", x, 2))

    def block_e(self, name, pool):
        """Add a block of 8 x 8 pixels."""
        x = self.last
        three = self.chain(name, x, ("branch3x3_1",))
        double = self.chain(name, x, ("branch3x3dbl_1",), ("branch3x3dbl_2", 1, 1))
        self.join(name, self.chain(name, x, ("branch1x1",)),
                  self.chain(name, three, ("branch3x3_2a", 0, 1)), self.chain(name, three, ("branch3x3_2b", 1, 0)),
                  self.chain(name, double, ("branch3x3dbl_3a", 0, 1)), self.chain(name, double, ("branch3x3dbl_3b", 1, 0)),
                  self.chain(name, self.pool(f"{name}.pool", pool, x), ("branch_pool",)))

    def build(self):
        """Add everything."""
        x = self.conv("Conv2d_1a_3x3", self.last, stride=2)
        x = self.conv("Conv2d_2b_3x3", self.conv("Conv2d_2a_3x3", x), pad=(1, 1))
        x = self.conv("Conv2d_3b_1x1", self.pool("pool1", "maxpool", x, 2))
        self.last = self.pool("pool2", "maxpool", self.conv("Conv2d_4a_3x3", x), 2)
        for name in ("Mixed_5b", "Mixed_5c", "Mixed_5d"):
            self.block_a(name)
        self.block_b("Mixed_6a")
        for name in ("Mixed_6b", "Mixed_6c", "Mixed_6d", "Mixed_6e"):
            self.block_c(name)
        self.block_d("Mixed_7a")
        self.block_e("Mixed_7b", "avgpool")
        self.block_e("Mixed_7c", "maxpool")
        self.net.add("features", "mean", [self.last])
        return self.net


def main():
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--image", type=image_shape, default="28x28x1", help="HEIGHTxWIDTHxCHANNELS [%(default)s]")
    chosen = parser.parse_args()
    try:
        tensors = read_tensors(chosen.weights)
    except OSError as error:
        sys.exit(f"{chosen.weights}: {error.strerror}; name the file of pytorch-fid's weights")
    except ValueError as error:
        sys.exit(f"{chosen.weights}: {error}; the weights of pytorch-fid are wanted")
    net = Fid(tensors, chosen.image).build()
    net.save(chosen.output)
    print(f"{chosen.output}: {len(net.lines)} lines")


if __name__ == "__main__":
    main()
