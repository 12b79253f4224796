"""CIDEr, where the original keeps it; copies of it have ``cider.Cider`` here too."""

from caplens.compat.pycocoevalcap.cider.cider import Cider

__all__ = ["Cider"]
