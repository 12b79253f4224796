"""METEOR with aimagelab's calls."""

from __future__ import annotations

from caplens.compat.pycocoevalcap.meteor import meteor


class Meteor(meteor.Meteor):
    """METEOR of captions that are tokenised already."""

    def __str__(self) -> str:
        return "METEOR"
