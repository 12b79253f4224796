"""Train the network of form: ``python training/lens/train_form.py --run RUN --name NAME [--steps 1200]``.

Human captions against the same captions broken (words permuted, repeated, cut, doubled, dropped, random) and, with
less weight, against captions with wrong facts, some of which nobody would say ("a couch lies on a man").
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from model import Form
from torch import Tensor
from torch.nn import functional

from caplens.files.arrays import read_arrays
from caplens.learned.lens.encoder import PATH
from corpus import HELD_OUT, say

SHIPPED = "shipped"
LEAST_COUNT = 20
LONGEST = 20  # words
WRONG_FACTS = 0.5  # weight of captions with wrong facts


def form_places(run: Path) -> npt.NDArray[np.int64]:
    """Return the row of each word in the network of form; 0 for words that are too rare."""
    counts = np.array(json.loads((run / "words.json").read_text())["counts"])
    places = np.zeros(len(counts), np.int64)
    frequent = np.flatnonzero(counts >= LEAST_COUNT)
    places[frequent] = 1 + np.arange(len(frequent))
    return places


def load_form(run: Path, name: str) -> tuple[Form, npt.NDArray[np.int64]]:
    """Return a trained network of form, or with the name `SHIPPED` the one that ships, and the row of each word."""
    places = form_places(run)
    network = Form(int(places.max()) + 1)
    if name != SHIPPED:
        network.load_state_dict(torch.load(run / f"{name}.pt", weights_only=True)["network"])
        return network, places
    arrays = read_arrays(PATH)
    rows = arrays["form_rows"].astype(np.float32) * arrays["form_scales"].astype(np.float32)[:, np.newaxis]
    state = {"rows.weight": torch.from_numpy(rows)}
    for layer in ("first", "second", "third", "last"):
        state[f"{layer}.weight"] = torch.from_numpy(arrays[f"form_{layer}.weight"].astype(np.float32).T.copy())
        state[f"{layer}.bias"] = torch.from_numpy(arrays[f"form_{layer}.bias"].copy())
    network.load_state_dict(state)
    return network, places


def loss_of(network: Form, places: Tensor, batch: dict[str, Tensor]) -> tuple[Tensor, float]:
    """Return the loss, and how often a caption is above its broken version."""
    rows = len(batch["true"])
    everything = torch.cat([batch["true"], batch["form"], batch["fact"]])
    numbers = torch.where(torch.rand(everything.shape) < 0.02, 0, places[everything])
    true, form, fact = network(everything, numbers).split(rows)
    broken, wrong = ((batch[name] != batch["true"]).any(1).float() for name in ("form", "fact"))
    loss = functional.softplus(-true).mean() * (1 + WRONG_FACTS) / 2
    loss = loss + (functional.softplus(form) * broken).mean()
    loss = loss + WRONG_FACTS * (functional.softplus(fact) * wrong).mean()
    # Besides the odds, the difference counts: the same words in another order.
    loss = loss + (functional.softplus(form - true) * broken).mean()
    loss = loss + WRONG_FACTS * (functional.softplus(fact - true) * wrong).mean()
    return loss, float(((true > form) * broken).sum() / broken.sum().clamp_min(1))


def main() -> None:
    """Train and keep the network; started again, it goes on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=3e-3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    content = np.load(arguments.run / "examples.npz")
    tables = {name: content[name][:, :LONGEST] for name in ("true", "form", "fact")}
    images = np.repeat(np.arange(len(content["first"]) - 1), np.diff(content["first"]))
    rows = np.flatnonzero(images % HELD_OUT != 0)
    places = torch.from_numpy(form_places(arguments.run))
    network = Form(int(places.max()) + 1)
    optimizer = torch.optim.Adam(network.parameters(), lr=arguments.rate, betas=(0.9, 0.99))
    kept, begin = arguments.run / f"{arguments.name}.pt", 0
    if kept.is_file():
        state = torch.load(kept, weights_only=True)
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        begin = state["step"]
    total, right, saved = 0.0, 0.0, time.monotonic()
    for step in range(begin, arguments.steps):
        torch.manual_seed(step)
        for group in optimizer.param_groups:
            group["lr"] = arguments.rate * min(1, (step + 1) / 50) * max(0.02, 1 - step / arguments.steps)
        chosen = np.random.default_rng([1, step]).choice(rows, arguments.batch)
        batch = {name: torch.from_numpy(table[chosen].astype(np.int64)) for name, table in tables.items()}
        longest = int(max((table > 0).sum(1).max() for table in batch.values()))
        loss, share = loss_of(network, places, {name: table[:, :longest] for name, table in batch.items()})
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total, right = total + loss.item(), right + share
        if (step + 1) % 50 == 0:
            say(f"{step + 1} of {arguments.steps}: loss {total / 50:.3f}, right {right / 50:.3f}")
            total = right = 0.0
        if time.monotonic() - saved > 60 or step + 1 == arguments.steps:
            saved = time.monotonic()
            state = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}
            torch.save(state, kept)


if __name__ == "__main__":
    main()
