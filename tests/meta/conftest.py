"""Small sets of judgments, made up."""

from tests.judged_sets import coco, flickr, judged_table

__all__ = ["coco", "flickr", "judged_table"]
