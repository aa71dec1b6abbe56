"""Exports `transformer`: a small decoder in the manner of GPT, token ids in, logits out, with a free batch."""

import torch
from torch import nn

from exporting import export_case

BATCH, LENGTH, VOCABULARY, WIDTH, HEADS, BLOCKS = 2, 16, 256, 64, 4, 2
HEAD_WIDTH = WIDTH // HEADS


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        # Added to the scores: a position sees itself and those before it.
        hidden = torch.finfo(torch.float32).min
        self.register_buffer("mask", torch.full((LENGTH, LENGTH), hidden).triu(1), persistent=False)

    def forward(self, x):
        query, key, value = (self.split_heads(part) for part in self.qkv(x).split(WIDTH, dim=-1))
        scores = query @ key.transpose(-1, -2) * HEAD_WIDTH**-0.5 + self.mask
        mixed = scores.softmax(dim=-1) @ value
        return self.out(mixed.transpose(1, 2).reshape(-1, LENGTH, WIDTH))

    @staticmethod
    def split_heads(x):
        return x.reshape(-1, LENGTH, HEADS, HEAD_WIDTH).transpose(1, 2)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_attention = nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.norm_mlp = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norm_attention(x))
        return x + self.mlp(self.norm_mlp(x))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, WIDTH)
        self.position = nn.Parameter(torch.randn(LENGTH, WIDTH) * 0.1)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.norm = nn.LayerNorm(WIDTH)
        self.logits = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, token_ids):
        x = self.token(token_ids) + self.position
        return self.logits(self.norm(self.blocks(x)))


if __name__ == "__main__":
    export_case(
        "transformer",
        Transformer,
        lambda: {"token_ids": torch.randint(VOCABULARY, (BATCH, LENGTH))},
        dynamic_shapes={"token_ids": {0: torch.export.Dim("batch")}},
    )
