"""Exports `convnet`: a small residual net on pictures with a free batch; the exporter folds its batch norms into the convolutions."""

import torch
from torch import nn

from exporting import export_case

BATCH, SIDE, CLASSES = 2, 32, 10


def convolution(channels_in, channels_out, kernel=3, stride=1):
    """A convolution with a batch norm that has seen data: its statistics are not the initial 0 and 1."""
    norm = nn.BatchNorm2d(channels_out)
    with torch.no_grad():
        norm.weight.uniform_(0.5, 1.5)
        norm.bias.normal_(std=0.1)
        norm.running_mean.normal_(std=0.1)
        norm.running_var.uniform_(0.5, 1.5)
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, kernel, stride, padding=kernel // 2, bias=False), norm
    )


class Residual(nn.Module):
    def __init__(self, channels_in, channels_out, stride):
        super().__init__()
        self.first = convolution(channels_in, channels_out, stride=stride)
        self.second = convolution(channels_out, channels_out)
        same = channels_in == channels_out and stride == 1
        self.shortcut = nn.Identity() if same else convolution(channels_in, channels_out, kernel=1, stride=stride)

    def forward(self, x):
        return (self.second(self.first(x).relu()) + self.shortcut(x)).relu()


class Convnet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = convolution(3, 16)
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)
        self.body = nn.Sequential(Residual(16, 16, stride=1), Residual(16, 32, stride=2), Residual(32, 64, stride=2))
        self.classes = nn.Linear(64, CLASSES)

    def forward(self, x):
        x = self.body(self.pool(self.stem(x).relu()))
        return self.classes(x.mean(dim=(2, 3)))


if __name__ == "__main__":
    export_case(
        "convnet",
        Convnet,
        lambda: {"x": torch.randn(BATCH, 3, SIDE, SIDE)},
        dynamic_shapes={"x": {0: torch.export.Dim("batch")}},
    )
