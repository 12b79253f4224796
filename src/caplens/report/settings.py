"""What a user wants in a report besides the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from caplens.errors import UsageError

MOST_EXPLAINED = 1000
Explained = int | Literal["all", "none"]


@dataclass(frozen=True)
class ReportSettings:
    """What a report includes.

    Attributes
    ----------
    explain : int or {"all", "none"}
        The number of images whose captions are explained, the most interesting ones first; see
        `caplens.report.explaining.most_interesting`.
    pictures : str
        The location of the pictures: a folder whose files are named by id, or a pattern with ``{id}``, such as
        ``https://example.org/{id:012}.jpg``. The page links to them.
    thumbnails : bool
        Whether to embed small pictures of the explained images in the page; for folders only.
    title : str
        The heading; by default, a description of the content.
    """

    explain: Explained = MOST_EXPLAINED
    pictures: str = ""
    thumbnails: bool = False
    title: str = ""

    def __post_init__(self) -> None:
        if self.explain not in ("all", "none") and (not isinstance(self.explain, int) or self.explain < 0):
            raise UsageError(f'Explain a number of images from 0, "all" or "none", not {self.explain!r}.')
        if self.thumbnails and not self.pictures:
            raise UsageError("Thumbnails require pictures: specify their folder.")

    def most(self, count: int) -> int:
        """Return how many of ``count`` images are explained.

        Examples
        --------
        >>> ReportSettings().most(5000), ReportSettings(explain="all").most(5000), ReportSettings(explain=5).most(2)
        (1000, 5000, 2)
        """
        if isinstance(self.explain, int):
            return min(self.explain, count)
        return count if self.explain == "all" else 0
