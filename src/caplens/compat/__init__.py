"""Drop-in replacements for other tools: the same names, calls and return values, implemented by caplens.

`install` makes unmodified code use them; ``python -m caplens.compat script.py`` does the same without any edit.
"""

from caplens.compat.installing import install, uninstall

__all__ = ["install", "uninstall"]
