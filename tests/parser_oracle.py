"""The caption parser's network, written plainly: one caption, one word at a time, in double precision."""

from __future__ import annotations

from itertools import product

import numpy as np


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def lstm(inputs, weights, prefix, suffix):
    """Run one direction over the inputs of one caption."""
    into, recurrent = weights[f"{prefix}weight_ih_l0{suffix}"], weights[f"{prefix}weight_hh_l0{suffix}"]
    bias = weights[f"{prefix}bias_ih_l0{suffix}"] + weights[f"{prefix}bias_hh_l0{suffix}"]
    size = recurrent.shape[1]
    state = memory = np.zeros(size)
    states = []
    for vector in inputs:
        gates = into @ vector + recurrent @ state + bias
        enter, forget, candidate, leave = (
            gates[:size],
            gates[size : 2 * size],
            gates[2 * size : 3 * size],
            gates[-size:],
        )
        memory = sigmoid(forget) * memory + sigmoid(enter) * np.tanh(candidate)
        state = sigmoid(leave) * np.tanh(memory)
        states.append(state)
    return np.array(states)


def score_caption(features, weights):
    """Return log-probabilities of heads (column 0: the root), a function that scores labels, and scores of tags."""
    weights = {name: array.astype(np.float64) for name, array in weights.items() if array.dtype.kind == "f"}
    states = weights["embedding.weight"][features].sum(axis=1)
    layer = 0
    while f"layers.{layer}.weight_hh_l0" in weights:
        prefix = f"layers.{layer}."
        forward = lstm(states, weights, prefix, "")
        backward = lstm(states[::-1], weights, prefix, "_reverse")[::-1]
        both = np.concatenate([forward, backward], axis=1)
        states = both if layer == 0 else states + both
        layer += 1

    def linear(name, values):
        return values @ weights[f"{name}.weight"].T + weights.get(f"{name}.bias", 0)

    dependents = np.maximum(linear("arc_dependent", states), 0)
    heads = np.maximum(linear("arc_head", states), 0)
    queries = dependents @ weights["arc_product"] + weights["arc_bias"]
    arcs = queries @ np.concatenate([weights["arc_root"][np.newaxis], heads]).T
    arcs -= np.log(np.exp(arcs).sum(axis=1, keepdims=True))
    of_heads = np.concatenate([weights["label_root"][np.newaxis], linear("label_head", states)])

    def score_labels(chosen):
        return linear("label", np.maximum(linear("label_dependent", states) + of_heads[chosen], 0))

    return arcs, score_labels, linear("tag", states)


def is_projective_tree(heads):
    """Whether heads (counted from 1, 0 is the root) are a tree with one root in which no arcs cross."""
    if list(heads).count(0) != 1:
        return False
    for start in range(1, len(heads) + 1):
        place, steps = start, 0
        while place:
            place, steps = heads[place - 1], steps + 1
            if steps > len(heads):
                return False
    arcs = [tuple(sorted((place, head))) for place, head in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def best_tree(arcs):
    """Return the best projective tree with one root, by trying all heads of few words."""
    length = len(arcs)
    trees = [heads for heads in product(range(length + 1), repeat=length) if is_projective_tree(heads)]
    return max(trees, key=lambda heads: sum(arcs[place, head] for place, head in enumerate(heads)))
