"""SPICE with aimagelab's calls (CaMEL)."""

from __future__ import annotations

from caplens.compat.pycocoevalcap.spice import spice


class Spice(spice.Spice):
    """SPICE of captions that are tokenised already."""

    def __str__(self) -> str:
        return "SPICE"
