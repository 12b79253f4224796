"""The probability of a whole tree, instead of one head at a time.

The reference chooses a whole parse, so heads of one caption belong together. The score of a tree is the sum of the
scores of its arcs, and its probability its share of all projective trees with one root; their sum comes from the inside
algorithm (Eisner 1996; Zhang, Li and Zhang, "Efficient Second-Order TreeCRF for Neural Dependency Parsing", ACL 2020).
The best tree is what `decode.py` finds anyway, so nothing changes at run time.
"""

from __future__ import annotations

import torch
from torch import Tensor


def tree_loss(scores: Tensor, heads: Tensor) -> Tensor:
    """Give the mean negative log-probability of trees, a token.

    Parameters
    ----------
    scores
        ``(captions, length, 1 + length)``: of each head of each token, column 0 is the root.
    heads
        ``(captions, length)``: the heads of the trees, counted from 1, 0 is the root.
    """
    chosen = scores.gather(2, heads.unsqueeze(-1)).sum(dim=(1, 2))
    return (log_sum_of_trees(scores) - chosen).sum() / heads.numel()


def log_sum_of_trees(scores: Tensor) -> Tensor:
    """Give for each caption the logarithm of the sum of exponentiated scores over all projective single-root trees."""
    captions, length, _ = scores.shape
    # Spans of one width are one tensor (captions, starts); their head is the leftmost or the rightmost token, and they
    # are complete, or open: just joined by an arc.
    leftmost, rightmost = ([scores.new_zeros(captions, length)] for _ in range(2))
    open_left: list[Tensor] = [leftmost[0]]
    open_right: list[Tensor] = [leftmost[0]]
    for width in range(1, length):
        count = length - width
        inner = torch.stack(
            [leftmost[k][:, :count] + rightmost[width - 1 - k][:, k + 1 : k + 1 + count] for k in range(width)]
        ).logsumexp(dim=0)
        # Token i + width depends on token i, and the other way round; column 0 is the root.
        open_left.append(inner + scores[:, width:, 1:].diagonal(dim1=1, dim2=2)[:, :count])
        open_right.append(inner + scores[:, :, 1 + width :].diagonal(dim1=1, dim2=2)[:, :count])
        leftmost.append(
            torch.stack(
                [open_left[k][:, :count] + leftmost[width - k][:, k : k + count] for k in range(1, width + 1)]
            ).logsumexp(dim=0)
        )
        rightmost.append(
            torch.stack(
                [rightmost[k][:, :count] + open_right[width - k][:, k : k + count] for k in range(width)]
            ).logsumexp(dim=0)
        )
    # The root has one dependent: a head for what is to its left and what is to its right.
    before = torch.stack([rightmost[k][:, 0] for k in range(length)], dim=1)
    after = torch.stack([leftmost[length - 1 - k][:, k] for k in range(length)], dim=1)
    return (scores[:, :, 0] + before + after).logsumexp(dim=1)
