#!/usr/bin/python3
"""AlignFlow and CycleGAN with convolutional networks, on digits 0 and 1.

    tools/get_data.sh mnist data
    studies/neural/train.py alignflow --minutes 5 -o run.pt
    studies/neural/train.py alignflow --minutes 5 -o run.pt     # goes on from there

An optional study, no part of conflux: it needs torch (tools/install_packages.sh neural) and takes a graphics card if there
is one. Training stops after so many minutes of CPU time (or --steps), writes its checkpoint and prints one line of JSON:
what was reached on test images that were never trained on, and what it cost. The next start goes on with the same
numbers as if it had never stopped.
"""

import argparse
import json
import os
import pathlib
import time

import images
import numpy as np
import torch
from critics import critic, generator
from flow import Flow, mean_loss

# Scales, channels, residual blocks, dark pixels on each side; and for CycleGAN channels, blocks. Batches.
SIZES = {
    "alignflow": {"small": (2, 16, 2, 0), "published": (4, 32, 4, 2)},
    "cyclegan": {"small": (16, 9), "published": (64, 9)},
}
BATCHES = {"alignflow": {"small": 16, "published": 16}, "cyclegan": {"small": 32, "published": 1}}
CHANNELS_OF_CRITICS = {"small": 16, "published": 64}
RATE = 2e-4
LONGEST_GRADIENT = 10
SHRINK_GAINS = 5e-5
WAY_BACK = 10
POOL = 50


class Pool:
    """Earlier translations: critics see one of them every other time."""

    def __init__(self):
        self.kept = []

    def swap(self, batch, random):
        out = []
        for image in batch.detach():
            if len(self.kept) < POOL:
                self.kept.append(image)
            elif torch.rand(1, generator=random) < 0.5:
                place = int(torch.randint(POOL, (1,), generator=random))
                self.kept[place], image = image, self.kept[place]
            out.append(image)
        return torch.stack(out)


def squared_error(answers, wanted):
    return (answers - wanted).square().mean()


class Training:
    """Two groups; networks[m] belong to group m: flows, or generators that move its images to the other group."""

    def __init__(self, method, size, likelihood, seed, device):
        torch.manual_seed(seed)
        self.method, self.batch, self.likelihood, self.seed = method, BATCHES[method][size], likelihood, seed
        self.device = device
        shape = SIZES[method][size]
        make = (lambda: Flow(*shape[:3], padding=shape[3])) if method == "alignflow" else (lambda: generator(*shape))
        self.networks = torch.nn.ModuleList(make() for _ in range(2)).to(device)
        self.critics = torch.nn.ModuleList(critic(CHANNELS_OF_CRITICS[size]) for _ in range(2)).to(device)
        self.steps, self.cpu_seconds, self.pools = 0, 0.0, [Pool(), Pool()]
        gains = [p for name, p in self.networks.named_parameters() if name.endswith("weight_g")]
        others = [p for name, p in self.networks.named_parameters() if not name.endswith("weight_g")]
        groups = [{"params": others}] + ([{"params": gains, "weight_decay": SHRINK_GAINS}] if gains else [])
        self.walk = torch.optim.Adam(groups, RATE, (0.5, 0.999))
        self.critics_walk = torch.optim.Adam(self.critics.parameters(), RATE, (0.5, 0.999))

    def translate(self, group, batch):
        if self.method == "cyclegan":
            return self.networks[group](batch)
        return self.networks[1 - group].inverse(self.networks[group](batch)[0])

    def loss_of(self, group, batch):
        """What networks lose by moving images of a group, and the images as those of the other one."""
        if self.method == "cyclegan":
            moved = self.networks[group](batch)
            loss = WAY_BACK * (self.networks[1 - group](moved) - batch).abs().mean()
        else:
            z, volume = self.networks[group](batch)
            moved = self.networks[1 - group].inverse(z)
            loss = self.likelihood * mean_loss(z, volume)
        return loss + squared_error(self.critics[1 - group](moved), 1), moved

    def step(self, groups):
        # Numbers of a step depend on its place only, so that a run that was stopped goes on as it would have.
        random = torch.Generator().manual_seed(self.seed * 1_000_003 + self.steps)
        torch.manual_seed(self.seed * 1_000_003 + self.steps)
        real = [rows[torch.randint(len(rows), (self.batch,), generator=random)].to(self.device) for rows in groups]
        losses = [self.loss_of(m, real[m]) for m in range(2)]
        self.walk.zero_grad()
        (losses[0][0] + losses[1][0]).backward()
        torch.nn.utils.clip_grad_norm_(self.networks.parameters(), LONGEST_GRADIENT)
        self.walk.step()
        self.critics_walk.zero_grad()
        for m in range(2):
            earlier = self.pools[m].swap(losses[1 - m][1], random)
            answers = squared_error(self.critics[m](real[m]), 1) + squared_error(self.critics[m](earlier), 0)
            (answers / 2).backward()
        self.critics_walk.step()
        self.steps += 1

    def parts(self):
        return {"networks": self.networks, "critics": self.critics, "walk": self.walk, "critics_walk": self.critics_walk}

    def save(self, path):
        state = {name: part.state_dict() for name, part in self.parts().items()}
        state.update(method=self.method, steps=self.steps, cpu_seconds=self.cpu_seconds,
                     pools=[pool.kept for pool in self.pools])
        # A run that is killed while it writes leaves the checkpoint before it.
        torch.save(state, f"{path}.new")
        os.replace(f"{path}.new", path)

    def load(self, path):
        state = torch.load(path, map_location=self.device)
        if state["method"] != self.method:
            raise SystemExit(f"{path}: a checkpoint of {state['method']}; name another file for {self.method}.")
        try:
            for name, part in self.parts().items():
                part.load_state_dict(state[name])
        except (RuntimeError, ValueError):
            raise SystemExit(f"{path}: a checkpoint of networks of another --size; give that one, or another file.")
        self.steps, self.cpu_seconds = state["steps"], state["cpu_seconds"]
        for pool, kept in zip(self.pools, state["pools"]):
            pool.kept = kept

    def num_parameters(self):
        return [sum(p.numel() for p in part[0].parameters()) for part in (self.networks, self.critics)]

    @torch.no_grad()
    def judge(self, groups):
        """Distances of translated test images, means over both directions; TC and the way back of flows."""
        self.networks.eval()
        found, costs, errors = [], [], []
        for m in range(2):
            moved, back = [], []
            for batch in groups[m].split(100):
                there = self.translate(m, batch.to(self.device))
                moved.append(there.cpu())
                back.append(self.translate(1 - m, there).cpu())
                if self.method == "alignflow":
                    z = self.networks[m](batch.to(self.device))[0].cpu()
                    p = self.networks[m].padding
                    inner = z[:, :, p:z.shape[2] - p, p:z.shape[3] - p]
                    costs.append((inner - (2 * batch - 1)).flatten(1).square().sum(1) / 4)
            found.append(images.distances(groups[1 - m].numpy(), torch.cat(moved).numpy()))
            errors.append(float((torch.cat(back) - groups[m]).abs().max()))
        self.networks.train()
        wd, exact = np.mean(found, axis=0)
        out = {"paper_wd": round(float(wd), 3), "exact_w2": round(float(exact), 3), "there_and_back": max(errors)}
        if costs:
            out["tc"] = round(float(torch.cat(costs).mean()), 1)
        return out


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=SIZES)
    parser.add_argument("-o", "--output", required=True, help="checkpoint, gone on from if it is there")
    parser.add_argument("--data", default="data/mnist", help="folder of IDX files [data/mnist]")
    parser.add_argument("--size", choices=("small", "published"), default="small")
    parser.add_argument("--minutes", type=float, default=5, help="CPU minutes of this start [5]")
    parser.add_argument("--steps", type=int, default=10 ** 9, help="steps of all starts at most")
    parser.add_argument("--likelihood", type=float, default=1e-4, help="weight of likelihood beside critics [1e-4]")
    parser.add_argument("--test-rows", type=int, default=1000, help="test images of each class that judge [1000]")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main():
    flags = parsed()
    if not (pathlib.Path(flags.data) / "train-images-idx3-ubyte").exists():
        raise SystemExit(f"{flags.data}: no IDX files of MNIST; run tools/get_data.sh mnist, or name their folder.")
    train, test = images.permutation(flags.data)
    train = [torch.from_numpy(rows) for rows in train]
    test = [torch.from_numpy(rows[:flags.test_rows]) for rows in test]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    training = Training(flags.method, flags.size, flags.likelihood, flags.seed, device)
    if os.path.exists(flags.output):
        training.load(flags.output)
    before, begin = training.cpu_seconds, time.process_time()
    while training.steps < flags.steps and time.process_time() - begin < 60 * flags.minutes:
        training.step(train)
        training.cpu_seconds = before + time.process_time() - begin
        if training.steps % 100 == 0:
            training.save(flags.output)
    training.save(flags.output)
    networks, critics = training.num_parameters()
    print(json.dumps({
        "method": flags.method, "size": flags.size, "device": device.type, "parameters_of_network": networks,
        "parameters_of_critic": critics, "steps": training.steps, "batch": training.batch,
        "passes": round(training.steps * training.batch / len(train[0]), 3),
        "cpu_seconds": round(training.cpu_seconds, 1), "test_rows": len(test[0]), **training.judge(test)}))


if __name__ == "__main__":
    main()
