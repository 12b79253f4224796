"""What one request may cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from caplens.files.threads import available_cpus

MOST_CAPTIONS = 10_000
"""Candidates of one request."""
MOST_REFERENCES = 1_000
"""References of one candidate."""
LONGEST_CAPTION = 20_000
"""Characters of one caption."""
LONGEST_REQUEST = 2_000
"""Characters of a metric request."""


WORDS = 500
"""Words of a caption that count unless a request says otherwise: METEOR's cost grows with the product of lengths."""


@dataclass(frozen=True)
class Limits:
    """What requests may cost.

    Attributes
    ----------
    body_bytes : int
        Size of a request's body.
    seconds : float
        How long a request may take, waiting included.
    body_seconds : float
        How long a client may take to send the body.
    workers : int
        Number of threads; the kernels release the GIL.
    waiting : int
        Maximum number of requests that wait for a thread; further ones are told to try again.
    connections : int
        Open connections.
    """

    body_bytes: int = 8_000_000
    seconds: float = 30.0
    body_seconds: float = 10.0
    workers: int = field(default_factory=available_cpus)
    waiting: int = 128
    connections: int = 512
