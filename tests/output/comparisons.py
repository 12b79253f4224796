"""Comparisons as plain data, without any scoring: for tests of how they are shown."""

from __future__ import annotations

from itertools import combinations

KEYS = ("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4", "METEOR", "ROUGE_L", "CIDEr", "SPICE", "SPICE_Object", "SPICE_Color")
NAMES = (
    *("updown", "m2_transformer", "aoa", "vinvl", "blip2-opt-2.7b-finetuned-coco", "ofa"),
    *("git", "nic", "topdown_rl", "show_attend_tell", "coca", "rand"),
)


def score_of(system, key):
    """A score that differs in every cell, so that a number that is found in a drawing is that one."""
    return 0.9 - 0.0307 * NAMES.index(system) - 0.05113 * KEYS.index(key)


def comparison(count, baseline=None, runs=False):
    """A comparison of the first systems; neighbours do not differ significantly."""
    names = NAMES[:count]
    systems = {}
    for name in names:
        metrics = {}
        for key in KEYS:
            score = score_of(name, key)
            metrics[key] = {"score": score, "interval": [score - 0.0123, score + 0.0145], "signature": key.lower()}
            if key.startswith("SPICE_"):
                metrics[key]["detail_of"] = "SPICE"
            if runs:
                metrics[key]["spread"] = 0.0042
        systems[name] = {"metrics": metrics}
    pairs = [pair for pair in combinations(names, 2) if baseline is None or baseline in pair]
    tests = [test(key, *pair) for key in KEYS for pair in pairs]
    testing = {"alpha": 0.05, "resamples": 1000, "left_out": 0, "smallest_p": 1 / 1001, "seed": 1}
    testing |= {"pairs": len(pairs), "scores": len(KEYS)}
    if runs:
        testing["runs"] = dict.fromkeys(names, 3)
        tests = [{**each, "p_randomisation": None, "p_randomisation_holm": None} for each in tests]
    return {"n": 250, "systems": systems, "baseline": baseline, "tests": tests, "testing": testing}


def test(key, first, second):
    """A test of two systems."""
    difference = score_of(first, key) - score_of(second, key)
    p = 0.001 if NAMES.index(second) - NAMES.index(first) > 1 else 0.4
    found = {"score": key, "first": first, "second": second, "difference": difference, "effect": 0.123}
    found |= {"interval": [difference - 0.01, difference + 0.01]}
    return found | {"p_bootstrap_holm": p, "p_randomisation_holm": p, "p_bootstrap": p, "p_randomisation": p}


test.__test__ = False
