"""The COCO challenge 2015: judgments and leaderboards."""

from __future__ import annotations

import pytest

from caplens.errors import UsageError
from caplens.meta.datasets.coco2015 import Coco2015
from caplens.meta.study import configure


class TestCoco2015:
    def test_eleven_of_seventeen_entries_match_by_team_and_date(self, shared_dir):
        systems = Coco2015().load(shared_dir)
        assert (len(systems.names), set(systems.human)) == (17, {"M1", "M2", "M3", "M4", "M5"})
        found, rows, later = Coco2015().find_on_board(systems, shared_dir, "cap_c40.json")
        assert (len(found.names), len(rows), later) == (11, 11, {})
        assert len(found.left_out[0].ids) == 6

    def test_by_team_later_entries_are_taken_and_named(self, shared_dir):
        systems = Coco2015().load(shared_dir)
        found, _, later = Coco2015(join="team").find_on_board(systems, shared_dir, "cap_c40.json")
        assert (len(found.names), found.left_out[0].ids) == (16, ("Random",))
        assert later["PicSOM"] == "2016-02-10"

    def test_other_ways_to_join_do_not_exist(self):
        with pytest.raises(UsageError, match=r"coco2015\(join=...\) must be one of date, team, not 'url'"):
            configure(Coco2015, {"join": "url"})
