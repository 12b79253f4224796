"""Drop-in faces of other tools: their names, calls and return values over caplens.

`install` makes an unmodified script use them; ``python -m caplens.compat script.py`` does the same without an edit.
"""

from caplens.compat.installing import install, uninstall

__all__ = ["install", "uninstall"]
