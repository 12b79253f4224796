"""The network: words -> bidirectional LSTM -> tags, heads (biaffine) and labels.

After Dozat and Manning, "Deep Biaffine Attention for Neural Dependency Parsing" (ICLR 2017), made small. Two choices
serve the run time: a word's vector does not depend on its caption, so the first layer's input product is computed once
a distinct word; and labels come from a one-layer network over (dependent, head) instead of one matrix a label.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from structure import tree_loss
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class NetworkSize:
    """Sizes of the network; `rows`, `tags` and `labels` follow from the vocabulary."""

    rows: int
    tags: int
    labels: int
    embedding: int
    hidden: int
    layers: int
    arc: int
    relation: int


class Dropout(nn.Module):
    """Dropout with one mask for all positions of a caption, as Gal and Ghahramani (2016) use in recurrent nets."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, states: Tensor) -> Tensor:
        """Drop features of ``(length, captions, features)``."""
        if not self.training or self.rate == 0:
            return states
        keep = torch.empty(1, *states.shape[1:]).bernoulli_(1 - self.rate)
        return states * (keep / (1 - self.rate))


def initialise(layer: nn.LSTM) -> None:
    """Start with orthogonal recurrent gates and forget gates that remember; plain uniform weights learn much later."""
    for name, weights in layer.named_parameters():
        if name.startswith("weight"):
            fill = nn.init.orthogonal_ if name.startswith("weight_hh") else nn.init.xavier_uniform_
            for gate in weights.chunk(4):
                fill(gate)
        else:
            nn.init.zeros_(weights)
            if name.startswith("bias_ih"):
                nn.init.ones_(weights[layer.hidden_size : 2 * layer.hidden_size])


class FixedVectors(nn.Module):
    """Vectors of words that are known beforehand, turned into the parser's space by one learnt matrix.

    They exist in training only: `folded` adds them to the rows of the words, since a sum of two fixed vectors is one.

    Parameters
    ----------
    matrix
        One row a word.
    embedding
        Numbers of the parser's word vectors.
    """

    def __init__(self, matrix: Tensor, embedding: int) -> None:
        super().__init__()
        # The last row, -1, stands for a word without a vector.
        self.register_buffer("matrix", torch.cat([matrix, torch.zeros(1, matrix.shape[1])]), persistent=False)
        self.projection = nn.Linear(matrix.shape[1], embedding, bias=False)
        nn.init.orthogonal_(self.projection.weight, gain=0.4)

    def forward(self, rows: Tensor) -> Tensor:
        """Give the vectors of words by their rows, -1 for none."""
        return self.projection(self.matrix[rows])

    @torch.no_grad()
    def folded(self, table: Tensor, words: int, rows: Tensor, more: Tensor) -> Tensor:
        """Give a table of word rows that needs no fixed vectors.

        Parameters
        ----------
        table
            Rows of the unknown word, of the words, of hashed affixes.
        words
            How many words there are.
        rows, more
            Rows of their fixed vectors, and those of further words, which share the unknown word's own row.
        """
        known = table[1 : 1 + words] + self(rows)
        return torch.cat([table[:1], known, table[:1] + self(more), table[1 + words :]])


class Parser(nn.Module):
    """Scores of tags, heads and labels for captions of one length.

    Parameters
    ----------
    size
        Sizes of all parts.
    dropout
        Rate of dropout on word vectors, between layers and on the heads' inner layers.
    """

    def __init__(self, size: NetworkSize, dropout: float) -> None:
        super().__init__()
        self.size = size
        self.embedding = nn.EmbeddingBag(size.rows, size.embedding, mode="sum")
        nn.init.normal_(self.embedding.weight, std=0.2)
        inputs = [size.embedding] + [2 * size.hidden] * (size.layers - 1)
        self.layers = nn.ModuleList(nn.LSTM(width, size.hidden, bidirectional=True) for width in inputs)
        for layer in self.layers:
            initialise(layer)
        self.dropout = Dropout(dropout)
        width = 2 * size.hidden
        self.tag = nn.Linear(width, size.tags)
        self.arc_dependent = nn.Linear(width, size.arc)
        self.arc_head = nn.Linear(width, size.arc)
        self.arc_product = nn.Parameter(torch.zeros(size.arc, size.arc))
        self.arc_bias = nn.Parameter(torch.zeros(size.arc))
        self.arc_root = nn.Parameter(torch.zeros(size.arc))
        self.label_dependent = nn.Linear(width, size.relation)
        self.label_head = nn.Linear(width, size.relation, bias=False)
        self.label_root = nn.Parameter(torch.zeros(size.relation))
        self.label = nn.Linear(size.relation, size.labels)
        nn.init.normal_(self.arc_product, std=size.arc**-0.5)

    def encode(self, features: Tensor, fixed: Tensor | None = None) -> Tensor:
        """Turn table rows ``(length, captions, features)`` into states ``(length, captions, 2 hidden)``.

        What `FixedVectors` says of the words, ``(length, captions, embedding)``, is added to their own vectors.
        """
        length, captions, count = features.shape
        states = self.embedding(features.reshape(-1, count)).view(length, captions, -1)
        if fixed is not None:
            states = states + fixed
        states, _ = self.layers[0](self.dropout(states))
        for layer in self.layers[1:]:
            states = states + layer(self.dropout(states))[0]
        return self.dropout(states)

    def score_arcs(self, states: Tensor) -> Tensor:
        """Score every head of every token: ``(captions, length, 1 + length)``, column 0 is the root."""
        dependent = self.dropout(functional.relu(self.arc_dependent(states)))
        head = self.dropout(functional.relu(self.arc_head(states)))
        query = (dependent @ self.arc_product + self.arc_bias).transpose(0, 1)
        inner = query @ head.permute(1, 2, 0)
        return torch.cat([(query @ self.arc_root).unsqueeze(-1), inner], dim=-1)

    def score_labels(self, states: Tensor, heads: Tensor) -> Tensor:
        """Score the labels of given arcs; `heads` is ``(captions, length)``, the result has labels as last axis."""
        heads_of_words = self.label_head(states).transpose(0, 1)
        root = self.label_root.expand(heads_of_words.shape[0], 1, -1)
        candidates = torch.cat([root, heads_of_words], dim=1)
        chosen = candidates.gather(1, heads.unsqueeze(-1).expand(-1, -1, candidates.shape[-1]))
        inner = functional.relu(self.label_dependent(states).transpose(0, 1) + chosen)
        return self.label(self.dropout(inner.transpose(0, 1)).transpose(0, 1))

    def score_tags(self, states: Tensor) -> Tensor:
        """Score the tags of every token: ``(captions, length, tags)``."""
        return self.tag(states).transpose(0, 1)

    def loss(self, states: Tensor, tags: Tensor, heads: Tensor, labels: Tensor, *, whole_trees: bool) -> Tensor:
        """Sum the mean cross entropies of heads, labels (given the true heads) and tags.

        With `whole_trees` all heads of a caption are one choice among its trees, otherwise each is one for itself.
        """
        arcs = self.score_arcs(states).float()
        relations = self.score_labels(states, heads).flatten(0, 1).float()
        marks = self.score_tags(states).flatten(0, 1).float()
        return (
            (tree_loss(arcs, heads) if whole_trees else functional.cross_entropy(arcs.flatten(0, 1), heads.flatten()))
            + functional.cross_entropy(relations, labels.flatten())
            + functional.cross_entropy(marks, tags.flatten())
        )
