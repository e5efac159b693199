"""RealNVP for images, as AlignFlow uses it: couplings of several scales whose networks are convolutional.

Written from the papers' description. Two things are done otherwise than published: images leave the flow by the exact
inverse of how they entered it, and 28 x 28 images are padded where four scales ask for 32 x 32.
"""

import math

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import weight_norm

# How far images are squeezed into (0, 1) before the logit.
CONSTRAINT = 0.999998


def convolution(inputs, outputs, size):
    layer = nn.Conv2d(inputs, outputs, size, padding=size // 2)
    nn.init.normal_(layer.weight, std=0.02)
    nn.init.zeros_(layer.bias)
    return weight_norm(layer)


class Block(nn.Module):
    """A residual block, normalized before it bends."""

    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(
            nn.BatchNorm2d(channels), nn.ReLU(), convolution(channels, channels, 3),
            nn.BatchNorm2d(channels), nn.ReLU(), convolution(channels, channels, 3))

    def forward(self, x):
        return x + self.body(x)


class ScaleAndShift(nn.Module):
    """What a coupling scales and shifts by; every block also speaks to the output directly."""

    def __init__(self, inputs, channels, outputs, blocks):
        super().__init__()
        self.enter = convolution(inputs, channels, 3)
        self.first_skip = convolution(channels, channels, 1)
        self.blocks = nn.ModuleList(Block(channels) for _ in range(blocks))
        self.skips = nn.ModuleList(convolution(channels, channels, 1) for _ in range(blocks))
        self.leave = nn.Sequential(nn.BatchNorm2d(channels), nn.ReLU(), convolution(channels, outputs, 1))

    def forward(self, x):
        x = self.enter(x)
        said = self.first_skip(x)
        for block, skip in zip(self.blocks, self.skips):
            x = block(x)
            said = said + skip(x)
        return self.leave(said)


class Coupling(nn.Module):
    """y = (x + t) exp(s) where `mask` is 0; s and t are networks of x where it is 1."""

    def __init__(self, channels, hidden, blocks, by_channel, turned):
        super().__init__()
        self.by_channel, self.turned = by_channel, turned
        seen = channels // 2 if by_channel else channels
        self.normal = nn.BatchNorm2d(seen, affine=False)
        # A network of a checkerboard is told where the board's fields are.
        self.net = ScaleAndShift(2 * seen + (0 if by_channel else 1), hidden, 2 * seen, blocks)
        self.factor = nn.Parameter(torch.ones(1))
        self.offset = nn.Parameter(torch.zeros(1))

    def _board(self, x):
        rows = torch.arange(x.shape[2], device=x.device)[:, None]
        columns = torch.arange(x.shape[3], device=x.device)[None, :]
        return ((rows + columns + int(self.turned)) % 2).to(x.dtype)[None, None]

    def _say(self, seen, mask):
        seen = self.normal(seen)
        if mask is not None:
            seen = 2 * seen * mask
        parts = [seen, -seen]
        if mask is not None:
            parts.append(mask.expand(len(seen), 1, -1, -1))
        said = self.net(torch.cat([functional.relu(part) for part in parts], 1))
        scale, shift = said.chunk(2, 1)
        scale = self.factor * torch.tanh(scale) + self.offset
        return (scale, shift) if mask is None else (scale * (1 - mask), shift * (1 - mask))

    def forward(self, x, back=False):
        """The moved images and the change of log-volume on the way forward."""
        if not self.by_channel:
            mask = self._board(x)
            scale, shift = self._say(x * mask, mask)
            moved = x * torch.exp(-scale) - shift if back else (x + shift) * torch.exp(scale)
            return moved, scale.flatten(1).sum(1)
        kept, free = x.chunk(2, 1) if self.turned else reversed(x.chunk(2, 1))
        scale, shift = self._say(kept, None)
        free = free * torch.exp(-scale) - shift if back else (free + shift) * torch.exp(scale)
        pair = (kept, free) if self.turned else (free, kept)
        return torch.cat(pair, 1), scale.flatten(1).sum(1)


def squeeze(x):
    """Squares of 2 x 2 pixels become channels; of each four, the first two are a diagonal of the square."""
    count, channels, height, width = x.shape
    x = x.reshape(count, channels, height // 2, 2, width // 2, 2)
    fields = [x[:, :, :, a, :, b] for a, b in ((0, 0), (1, 1), (0, 1), (1, 0))]
    return torch.cat(fields, 1)


def unsqueeze(x):
    fields = x.chunk(4, 1)
    out = x.new_empty(x.shape[0], x.shape[1] // 4, x.shape[2], 2, x.shape[3], 2)
    for field, (a, b) in zip(fields, ((0, 0), (1, 1), (0, 1), (1, 0))):
        out[:, :, :, a, :, b] = field
    return out.reshape(x.shape[0], x.shape[1] // 4, 2 * x.shape[2], 2 * x.shape[3])


class Scales(nn.Module):
    """Couplings of one scale, and those of the next one for half of the channels."""

    def __init__(self, channels, hidden, blocks, scales):
        super().__init__()
        last = scales == 1
        self.boards = nn.ModuleList(
            Coupling(channels, hidden, blocks, False, c % 2 == 1) for c in range(4 if last else 3))
        self.next = None
        if not last:
            self.channels = nn.ModuleList(
                Coupling(4 * channels, 2 * hidden, blocks, True, c % 2 == 1) for c in range(3))
            self.next = Scales(2 * channels, 2 * hidden, blocks, scales - 1)

    def _pass(self, couplings, x, volume, back):
        for coupling in reversed(couplings) if back else couplings:
            x, change = coupling(x, back)
            volume = volume + change
        return x, volume

    def _deeper(self, x, volume, back):
        goes_on, stays = squeeze(x).chunk(2, 1)
        goes_on, volume = self.next(goes_on, volume, back)
        return unsqueeze(torch.cat((goes_on, stays), 1)), volume

    def forward(self, x, volume, back=False):
        if back and self.next is not None:
            x, volume = self._deeper(x, volume, back)
            x, volume = self._pass(self.channels, squeeze(x), volume, back)
            x = unsqueeze(x)
        x, volume = self._pass(self.boards, x, volume, back)
        if back or self.next is None:
            return x, volume
        x, volume = self._pass(self.channels, squeeze(x), volume, back)
        return self._deeper(unsqueeze(x), volume, back)


class Flow(nn.Module):
    """Images in [0, 1] to the normal law, and back."""

    def __init__(self, scales, hidden, blocks, padding=0):
        super().__init__()
        self.scales = Scales(1, hidden, blocks, scales)
        self.padding = padding

    def _padded(self, images):
        """Dark pixels around images, with the noise of a gray value in training: a constant has no density."""
        wide = functional.pad(images, [self.padding] * 4, value=-1)
        dark = torch.rand_like(wide) if self.training else torch.full_like(wide, 0.5)
        return torch.where(wide < 0, dark / 256, wide)

    def forward(self, images):
        """Where images go, and the logarithm of how volumes change."""
        if self.padding:
            images = self._padded(images)
        y = torch.logit(((2 * images - 1) * CONSTRAINT + 1) / 2)
        volume = functional.softplus(y) + functional.softplus(-y) + math.log(CONSTRAINT)
        return self.scales(y, volume.flatten(1).sum(1))

    def inverse(self, z):
        y, _ = self.scales(z, torch.zeros(len(z), device=z.device), back=True)
        images = ((2 * torch.sigmoid(y) - 1) / CONSTRAINT + 1) / 2
        p = self.padding
        return images[:, :, p:images.shape[2] - p, p:images.shape[3] - p].clamp(0, 1)


def mean_loss(z, volume):
    """Mean of minus log-likelihood, but for what no parameter changes."""
    return (z.flatten(1).square().sum(1) / 2 - volume).mean()
