"""Exports `capstone`: y = gelu(x @ w + b), the smallest graph in which fusion pays, with a free batch."""

import torch
from torch import nn

from exporting import export_case

BATCH, WIDTH_IN, WIDTH_OUT = 16, 128, 256


class Capstone(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(WIDTH_IN, WIDTH_OUT) / WIDTH_IN**0.5)
        self.b = nn.Parameter(torch.randn(WIDTH_OUT) * 0.1)

    def forward(self, x):
        return nn.functional.gelu(x @ self.w + self.b)


if __name__ == "__main__":
    export_case(
        "capstone",
        Capstone,
        lambda: {"x": torch.randn(BATCH, WIDTH_IN)},
        dynamic_shapes={"x": {0: torch.export.Dim("batch")}},
    )
