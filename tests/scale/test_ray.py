"""The real Ray, in its local mode, on few rows: the whole module takes less than a minute on two free cores."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings

import pytest
from tests.shard_rows import cut_into, make_rows, write_jsonl

from caplens.errors import InputError, MissingDataError
from caplens.scale import Task, merge, score_files
from caplens.scale import ray as on_ray

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, such as those of its sockets and of numpy
ROWS = make_rows(120)


@pytest.fixture(scope="module")
def cluster():
    ray = pytest.importorskip("ray", reason='Ray is not installed (pip install "ray[data]")')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
        yield ray
        ray.shutdown()


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {path.relative_to(folder): path.read_bytes() for path in files}


def test_files_on_ray_give_the_bytes_of_one_process_even_if_a_worker_is_killed(cluster, tmp_path):
    rows = cut_into(tmp_path / "rows", make_rows(3000), 3)
    task = Task.of("rouge, bleu", batch_rows=50, resamples=200)
    score_files([rows], tmp_path / "here", task)
    killed = threading.Thread(target=_kill_a_worker, args=(tmp_path / "ray",))
    killed.start()
    report = on_ray.score_files([rows], tmp_path / "ray", task)
    killed.join()
    assert sorted(report.scored + report.found) == [f"part-000{number}-jsonl" for number in range(3)]
    assert contents(tmp_path / "ray") == contents(tmp_path / "here")
    assert merge(tmp_path / "ray").summary() == merge(tmp_path / "here").summary()


def _kill_a_worker(folder):
    """Kill the process that holds a lock of the folder, once there are parts."""
    import psutil

    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and len(list(folder.rglob("*.sums"))) < 4:
        time.sleep(0.01)
    locks = {str(path) for path in folder.glob("part-*.lock")}
    for process in psutil.process_iter():
        if process.pid == os.getpid():
            continue
        try:
            if locks & {file.path for file in process.open_files()}:
                process.send_signal(signal.SIGKILL)
                return
        except psutil.Error:
            continue
    raise AssertionError("no worker was found")


def test_a_dataset_is_scored_where_it_is(cluster, tmp_path):
    dataset = cluster.data.from_items(ROWS, override_num_blocks=4)
    merged = on_ray.score(dataset, "rouge, bleu", items=tmp_path / "items", batch_rows=25, resamples=50)
    score_files([write_jsonl(tmp_path / "rows.jsonl", ROWS)], tmp_path / "here", Task.of("rouge, bleu", resamples=50))
    here = merge(tmp_path / "here")
    for key in here:
        assert merged[key].score == pytest.approx(here[key].score, rel=1e-12)
        assert merged[key].interval == pytest.approx(here[key].interval, rel=1e-12)
        assert merged[key].signature == here[key].signature
    ids = [name for part in merged.parts() for name in part.column("id").to_pylist()]
    assert sorted(ids) == sorted(row["id"] for row in ROWS)


def test_a_dataset_without_ids_is_refused(cluster):
    rows = [{"candidate": row["candidate"], "references": row["references"]} for row in ROWS[:5]]
    with pytest.raises(InputError, match="The dataset has no column of ids: add one"):
        on_ray.score(cluster.data.from_items(rows), "rouge")


def test_what_a_worker_refuses_is_said_in_one_sentence(cluster, tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"id": 1, "candidate": "a dog"\n')
    with pytest.raises(InputError, match=r"rows\.jsonl"):
        on_ray.score_files([tmp_path / "rows.jsonl"], tmp_path / "shards", Task.of("rouge"))


def test_memory_decides_about_the_size_of_batches():
    assert on_ray.rows_that_fit(1e12, 4) == 20_000
    assert on_ray.rows_that_fit(4e8, 4) == 2_000
    assert on_ray.rows_that_fit(0, 4) == 500


def test_without_ray_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingDataError, match=r'pip install "caplens\[ray\]"'):
        on_ray.start(None)
