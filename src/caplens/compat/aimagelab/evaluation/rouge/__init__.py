"""Rouge, where aimagelab keeps it."""

from caplens.compat.aimagelab.evaluation.rouge.rouge import Rouge

__all__ = ["Rouge"]
