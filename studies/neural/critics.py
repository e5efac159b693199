"""Critics of AlignFlow and CycleGAN, and CycleGAN's generators; written from the papers' description."""

from torch import nn


def drawn(module):
    """Weights as published: normal, with deviation 0.02."""
    for part in module.modules():
        if isinstance(part, (nn.Conv2d, nn.ConvTranspose2d)):
            nn.init.normal_(part.weight, std=0.02)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
    return module


def critic(channels):
    """Five convolutions; answers about overlapping parts of an image in [0, 1]."""
    parts, inputs = [], 1
    for number, stride in enumerate((2, 2, 2, 1)):
        outputs = channels * 2 ** number
        parts.append(nn.Conv2d(inputs, outputs, 4, stride, 1))
        if number > 0:
            parts.append(nn.InstanceNorm2d(outputs))
        parts.append(nn.LeakyReLU(0.2))
        inputs = outputs
    return drawn(nn.Sequential(*parts, nn.Conv2d(inputs, 1, 4, 1, 1)))


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(
            nn.ReflectionPad2d(1), nn.Conv2d(channels, channels, 3), nn.InstanceNorm2d(channels), nn.ReLU(),
            nn.ReflectionPad2d(1), nn.Conv2d(channels, channels, 3), nn.InstanceNorm2d(channels))

    def forward(self, x):
        return x + self.body(x)


def generator(channels, blocks):
    """Down by two steps, residual blocks, and up again; images in [0, 1]."""
    parts = [nn.ReflectionPad2d(3), nn.Conv2d(1, channels, 7), nn.InstanceNorm2d(channels), nn.ReLU()]
    for factor in (1, 2):
        parts += [nn.Conv2d(factor * channels, 2 * factor * channels, 3, 2, 1),
                  nn.InstanceNorm2d(2 * factor * channels), nn.ReLU()]
    parts += [Residual(4 * channels) for _ in range(blocks)]
    for factor in (4, 2):
        parts += [nn.ConvTranspose2d(factor * channels, factor * channels // 2, 3, 2, 1, 1),
                  nn.InstanceNorm2d(factor * channels // 2), nn.ReLU()]
    return drawn(nn.Sequential(*parts, nn.ReflectionPad2d(3), nn.Conv2d(channels, 1, 7), nn.Sigmoid()))
