"""Self-critical training of a toy captioner with CIDEr-D as the reward, on one CPU in less than a minute.

    python examples/self_critical.py

An "image" is an animal, a colour and a place; the captioner is a table of words for each position, given these three.
It samples captions, and each is rewarded by how much better it is than the captioner's best guess (Rennie et al. 2017).
"""

from __future__ import annotations

import argparse
import itertools

import torch

from caplens.integrations.rewards import reward

ANIMALS, COLOURS, PLACES = ["dog", "cat", "horse"], ["brown", "black", "white"], ["grass", "street", "beach"]
WORDS = ["a", "the", "on", "with", "standing", *ANIMALS, *COLOURS, *PLACES, "<end>"]
LENGTH = 7


def references() -> dict[int, list[str]]:
    """Three captions of each image."""
    scenes = itertools.product(ANIMALS, COLOURS, PLACES)
    return {
        image: [
            f"a {colour} {animal} on the {place}",
            f"a {animal} standing on the {place}",
            f"the {colour} {animal} on a {place}",
        ]
        for image, (animal, colour, place) in enumerate(scenes)
    }


def features() -> torch.Tensor:
    """One row per image: which animal, which colour, which place."""
    rows = [torch.cat([torch.eye(3)[index] for index in scene]) for scene in itertools.product(range(3), repeat=3)]
    return torch.stack(rows)


def captions(words: torch.Tensor) -> list[str]:
    """Spell word numbers out, up to the end."""
    spelled = ([WORDS[number] for number in row] for row in words.tolist())
    return [" ".join(itertools.takewhile(lambda word: word != "<end>", row)) for row in spelled]


def main() -> None:
    """Train, and print the mean reward of the best guesses now and then."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400)
    steps = parser.parse_args().steps
    torch.manual_seed(1)
    cider = reward("cider", references())  # prepared once; document frequencies are those of all references
    images, ids = features(), list(references())
    captioner = torch.nn.Linear(images.shape[1], LENGTH * len(WORDS))
    optimizer = torch.optim.Adam(captioner.parameters(), lr=0.1)
    for step in range(steps):
        logits = captioner(images).view(len(images), LENGTH, len(WORDS))
        policy = torch.distributions.Categorical(logits=logits)
        sampled, greedy = policy.sample(), logits.argmax(dim=-1)
        best = torch.tensor(cider(completions=captions(greedy), image_id=ids))
        gained = torch.tensor(cider(completions=captions(sampled), image_id=ids)) - best
        loss = -(gained[:, None] * policy.log_prob(sampled)).mean() - 0.01 * policy.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0 or step == steps - 1:
            print(f"step {step:4d}  CIDEr of the best guesses {best.mean():.3f}")
    print(captions(captioner(images).view(len(images), LENGTH, len(WORDS)).argmax(dim=-1))[:3])


if __name__ == "__main__":
    main()
