"""Translated images judged by the features of a small network.

    /usr/bin/python3 studies/feature_study.py CONFLUX FOLDER CLASSES [FIT OPTIONS ...]

FOLDER holds IDX files as tools/get_data.sh writes them; CLASSES is like 0,1 or 0-9. Of each class
4500 images (or nine tenths, if there are fewer) are fitted, and the rest translated to every other
class. Shown are means over ordered pairs of classes: the Frechet distance between translated and
real images in the last hidden layer of a network that tells the classes of the whole set apart, and
the same between two halves of the real images; distances of `conflux evaluate` beside it. The
network is trained from a seed, but compare figures of the same machine only. Each argument after
CLASSES is the options of one fit, quoted.

Needs python3-torch.
"""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.linalg
import torch

TRAIN_ROWS = 4500
MOST_JUDGED = 2500


def read_idx(path):
    raw = gzip.open(path, "rb").read() if path.suffix == ".gz" else path.read_bytes()
    shape = [int.from_bytes(raw[4 + 4 * i:8 + 4 * i], "big") for i in range(raw[3])]
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(shape)


def read_images(folder):
    images, labels = [], []
    for path in sorted(folder.iterdir(), reverse=True):
        if "images-idx3" in path.name:
            images.append(read_idx(path))
            labels.append(read_idx(path.with_name(path.name.replace("images-idx3", "labels-idx1"))))
    return np.concatenate(images), np.concatenate(labels)


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(
            torch.nn.Conv2d(1, 16, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
            torch.nn.Conv2d(16, 32, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
            torch.nn.Flatten(), torch.nn.Linear(512, 64), torch.nn.ReLU())
        self.head = torch.nn.Linear(64, 10)

    def forward(self, rows):
        return self.head(self.body(rows))


def as_batch(rows):
    return torch.from_numpy(rows.reshape(-1, 1, 28, 28).astype(np.float32))


def train(rows, labels, epochs=3):
    torch.manual_seed(0)
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    targets = torch.from_numpy(labels.astype(np.int64))
    for _ in range(epochs):
        for batch in torch.randperm(len(rows)).split(128):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(network(as_batch(rows[batch.numpy()])),
                                                     targets[batch])
            loss.backward()
            optimizer.step()
    return network.eval()


def features(network, rows):
    with torch.no_grad():
        return np.concatenate([network.body(as_batch(part)).numpy().astype(np.float64)
                               for part in np.array_split(rows, max(1, len(rows) // 1000))])


def frechet(x, y):
    first, second = np.cov(x.T), np.cov(y.T)
    root = scipy.linalg.sqrtm(first @ second).real
    return ((x.mean(0) - y.mean(0)) ** 2).sum() + np.trace(first + second - 2 * root)


def classes_from(text):
    first, _, last = text.partition("-")
    return list(range(int(first), int(last) + 1)) if last else [int(c) for c in text.split(",")]


def main():
    command, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    classes = classes_from(sys.argv[3])
    random = np.random.default_rng(0)
    pixels, labels = read_images(folder)
    rows = (pixels.reshape(len(pixels), -1) + random.random((len(pixels), 784))) / 256
    network = train(rows[:60000], labels[:60000])
    parts = {c: rows[random.permutation(np.flatnonzero(labels == c))] for c in classes}
    cut = {c: min(TRAIN_ROWS, len(parts[c]) * 9 // 10) for c in classes}
    test = {c: parts[c][cut[c]:] for c in classes}
    real = {c: features(network, test[c]) for c in classes}
    floor = np.mean([frechet(x[:len(x) // 2], x[len(x) // 2:]) for x in real.values()])
    print(f"real against real, halves: {floor:.2f}\n"
          "| options | Frechet | paper_wd | exact W2^2 | TC | fit |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        names = np.concatenate([np.full(cut[c], str(c)) for c in classes])
        np.savez(work / "train.npz", X=np.concatenate([parts[c][:cut[c]] for c in classes]), group=names)
        np.savez(work / "test.npz", X=np.concatenate([test[c] for c in classes]),
                 group=np.concatenate([np.full(len(test[c]), str(c)) for c in classes]))
        for options in sys.argv[4:] or [""]:
            start = time.monotonic()
            subprocess.run([command, "fit", "train.npz", "-q", "-o", "m.conflux", *options.split()],
                           cwd=work, check=True)
            seconds = json.loads(subprocess.run([command, "info", "m.conflux", "--json"], cwd=work,
                                                check=True, capture_output=True).stdout).get(
                "speed", {}).get("seconds", time.monotonic() - start)
            judged = json.loads(subprocess.run(
                [command, "evaluate", "m.conflux", "test.npz", "-q", "--json", "--block", "500", "--max-rows",
                 str(MOST_JUDGED), "--metrics", "paper_wd,w2_exact,transport_cost"],
                cwd=work, check=True, capture_output=True).stdout)["metrics"]
            found = []
            for a in classes:
                np.save(work / "a.npy", test[a])
                for b in classes:
                    if a == b:
                        continue
                    subprocess.run([command, "translate", "m.conflux", "a.npy", "--from", str(a), "--to",
                                    str(b), "-q", "-o", "as_b.npy"], cwd=work, check=True)
                    found.append(frechet(features(network, np.load(work / "as_b.npy")), real[b]))
            print(f"| {options or 'defaults'} | {np.mean(found):.2f} | "
                  f"{judged['paper_wd']['after']['mean']:.2f} | "
                  f"{judged['w2_exact']['after']['mean']:.2f} | {judged['transport_cost']['mean']:.2f} | "
                  f"{seconds:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
