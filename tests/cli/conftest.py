"""Small sets of judgments, made up."""

from tests.judged_sets import flickr, judged_table

__all__ = ["flickr", "judged_table"]
