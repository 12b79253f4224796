"""``install`` in processes of its own: with and without the original, before and after it was imported."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import types

import pytest

# What hides the original: the metadata of a distribution, its folder, and its modules.
HIDDEN = """
import sys, importlib.metadata, pathlib
is_folder = pathlib.Path.is_dir
pathlib.Path.is_dir = lambda path: not path.name.startswith("pycocoevalcap-") and is_folder(path)
class Hiding:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "pycocoevalcap":
            raise ModuleNotFoundError(name)
    @staticmethod
    def find_distributions(context=None):
        return ()
sys.meta_path.insert(0, Hiding)
real = importlib.metadata.MetadataPathFinder.find_distributions
importlib.metadata.MetadataPathFinder.find_distributions = classmethod(
    lambda cls, context=None: (
        () if context is not None and context.name == "pycocoevalcap" else real(context)
    )
)
"""


def run(script, *arguments, folder=None):
    return subprocess.run(
        [sys.executable, *arguments, *(["-c", script] if script is not None else [])],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=folder,
        env=os.environ,
    )


def succeed(script, *arguments, **more):
    done = run(script, *arguments, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


INSTALL = "import caplens.compat\ncaplens.compat.install()\n"
OURS = """
from pycocoevalcap.cider.cider import Cider
import pycocoevalcap, pycocoevalcap.eval_spice, pyciderevalcap.ciderD.ciderD_scorer
from pycocoevalcap.bleu.bleu_scorer import BleuScorer
assert Cider.__module__ == "caplens.compat.pycocoevalcap.cider.cider", Cider.__module__
"""


class TestInstall:
    def test_every_module_has_a_spec_and_is_caplens_own(self):
        script = """
import importlib, importlib.util
NAMES = '''pycocoevalcap pycocoevalcap.eval pycocoevalcap.eval_spice pycocoevalcap.tokenizer
pycocoevalcap.tokenizer.ptbtokenizer pycocoevalcap.bleu pycocoevalcap.bleu.bleu pycocoevalcap.bleu.bleu_scorer
pycocoevalcap.cider pycocoevalcap.cider.cider pycocoevalcap.cider.cider_scorer pycocoevalcap.meteor
pycocoevalcap.meteor.meteor pycocoevalcap.rouge pycocoevalcap.rouge.rouge pycocoevalcap.spice pycocoevalcap.spice.spice
pyciderevalcap pyciderevalcap.eval pyciderevalcap.tokenizer.ptbtokenizer
pyciderevalcap.cider.cider pyciderevalcap.cider.cider_scorer pyciderevalcap.ciderD.ciderD
pyciderevalcap.ciderD.ciderD_scorer'''.split()
for name in NAMES:
    assert importlib.util.find_spec(name) is not None, name
    module = importlib.import_module(name)
    assert module.__spec__.loader is not None, name
    assert module is importlib.import_module("caplens.compat." + name), name
    assert module.__spec__.name == module.__name__, name
from pycocoevalcap.eval import COCOEvalCap
from pycocoevalcap.eval_spice import COCOEvalCapSpice
assert issubclass(COCOEvalCapSpice, COCOEvalCap)
"""
        succeed(INSTALL + script)

    def test_no_name_of_the_original_is_missing(self):
        """All classes, functions and constants of its modules but those of Java, and all that classes have."""
        pytest.importorskip("pycocoevalcap")
        modules = "eval tokenizer.ptbtokenizer bleu.bleu bleu.bleu_scorer cider.cider cider.cider_scorer "
        modules += "meteor.meteor rouge.rouge spice.spice"
        java = {"STANFORD_CORENLP_3_4_1_JAR", "SPICE_JAR", "TEMP_DIR", "CACHE_DIR", "get_stanford_models"}
        # They fail in the original: it has no `fscore`.
        broken = {"score_ratio", "score_ratio_str"}
        private = {"single_reflen", "_single_reflen"}
        for name in modules.split():
            theirs = importlib.import_module(f"pycocoevalcap.{name}")
            ours = importlib.import_module(f"caplens.compat.pycocoevalcap.{name}")
            own = {
                key: value
                for key, value in vars(theirs).items()
                if not key.startswith("__")
                and getattr(value, "__module__", "pycocoevalcap").startswith("pycocoevalcap")
            }
            modules_of_python = {key for key, value in own.items() if isinstance(value, types.ModuleType)}
            assert own.keys() - modules_of_python - java <= vars(ours).keys(), name
            for key, value in own.items():
                if isinstance(value, type):
                    methods = {
                        each for each, what in vars(value).items() if callable(what) and not each.startswith("__")
                    }
                    assert methods - broken - private <= set(dir(getattr(ours, key))), key

    def test_without_the_original(self):
        script = """
from importlib.metadata import distribution, version, PackageNotFoundError
assert version("pycocoevalcap") == "1.2"
assert distribution("pycocoevalcap").metadata["Name"] == "pycocoevalcap"
import caplens
from caplens.text.meteor import resources
assert "not installed" in resources.missing_data()
caplens.compat.uninstall()
try:
    version("pycocoevalcap")
except PackageNotFoundError:
    print("gone")
"""
        hidden = HIDDEN.replace("sys.meta_path.insert(0, Hiding)", "sys.meta_path.append(Hiding)")
        assert succeed(hidden + INSTALL + OURS + script) == "gone\n"

    def test_what_was_imported_before_is_replaced_and_comes_back(self):
        pytest.importorskip("pycocoevalcap")
        script = """
import pycocoevalcap.rouge.rouge as kept
from pycocoevalcap.rouge.rouge import Rouge
from pycocoevalcap.cider.cider import Cider
theirs = Rouge
import caplens.compat
caplens.compat.install()
assert Rouge.__module__.startswith("caplens"), Rouge.__module__
assert kept.__name__.startswith("caplens")
assert theirs is Rouge  # every name of a module
from pycocoevalcap.rouge.rouge import Rouge as again
assert again is Rouge
caplens.compat.install()
caplens.compat.uninstall()
assert Rouge.__module__ == "pycocoevalcap.rouge.rouge"
from pycocoevalcap.cider.cider import Cider as theirs_again
assert theirs_again is Cider
"""
        succeed(script)

    def test_the_real_distribution_is_not_hidden(self):
        pytest.importorskip("pycocoevalcap")
        script = """
from importlib.metadata import distribution
from pathlib import Path
assert Path(distribution("pycocoevalcap").locate_file("pycocoevalcap/meteor")).is_dir()
from caplens.text.meteor import resources
assert resources.missing_data() is None
"""
        succeed(INSTALL + script)

    def test_evaluation_is_claimed_only_on_request(self):
        script = """
try:
    import evaluation
except ModuleNotFoundError:
    print("free")
caplens.compat.install(aimagelab=True)
from evaluation import Cider, PTBTokenizer, compute_scores
from evaluation.cider.cider import Cider as same
assert same is Cider and Cider.__module__.startswith("caplens.compat.aimagelab")
caplens.compat.install(aac_metrics=True)
from aac_metrics import evaluate
import evaluation
"""
        assert succeed(INSTALL + script) == "free\n"

    def test_what_it_makes_can_be_read_where_nothing_is_installed(self, tmp_path):
        path = tmp_path / "scorer.pickle"
        succeed(
            INSTALL
            + f"""
import pickle
from pycocoevalcap.cider.cider_scorer import CiderScorer
scorer = CiderScorer("a dog", ["a dog runs"])
open({str(path)!r}, "wb").write(pickle.dumps(scorer))
"""
        )
        succeed(f"import pickle\nassert pickle.load(open({str(path)!r}, 'rb')).size() == 1")

    def test_copies_inside_packages_are_claimed_only_on_request(self, tmp_path):
        copy = tmp_path / "project" / "utils" / "cider" / "pyciderevalcap" / "ciderD"
        copy.mkdir(parents=True)
        (copy / "ciderD.py").write_text("class CiderD: pass\n")
        (tmp_path / "project" / "coco_caption").mkdir()
        script = """
from project.utils.cider.pyciderevalcap.ciderD.ciderD import CiderD
print(CiderD.__module__)
caplens.compat.install(copies=True)
print(CiderD.__module__)
from project.coco_caption.pycocoevalcap.eval import COCOEvalCap
from caplens.compat.pycocoevalcap.eval import COCOEvalCap as ours
assert COCOEvalCap is ours
import caplens.compat.pyciderevalcap.ciderD.ciderD
caplens.compat.install()  # keeps what was claimed
from project.utils.cider.pyciderevalcap.ciderD import ciderD
assert ciderD.CiderD is CiderD
caplens.compat.uninstall()
print(CiderD.__module__)
"""
        name = "project.utils.cider.pyciderevalcap.ciderD.ciderD"
        lines = [name, "caplens.compat.pyciderevalcap.ciderD.ciderD", name]
        assert succeed(INSTALL + script, folder=tmp_path).split() == lines

    def test_classes_stand_in_their_packages_too(self):
        succeed(INSTALL + "from pycocoevalcap import bleu, cider, meteor, rouge, spice\ncider.Cider().method()\n"
                          "from pycocoevalcap.cider import cider as module\nassert module.Cider is cider.Cider\n"
                          "bleu.Bleu, meteor.Meteor, rouge.Rouge, spice.Spice\n")  # fmt: skip


SPAWNING = """
import multiprocessing
from pycocoevalcap.rouge.rouge import Rouge

class Task:
    def __call__(self, number):
        score, _ = Rouge().compute_score({0: ["a dog"]}, {0: ["a dog"]})
        return f"{Rouge.__module__} {number} {score:.0f}"

if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(pool.map(Task(), [3])[0])
"""


class TestCommand:
    def test_runs_a_script_with_its_arguments(self, tmp_path):
        (tmp_path / "helper.py").write_text("VALUE = 5\n")
        script = tmp_path / "script.py"
        script.write_text(OURS + "import sys\nfrom helper import VALUE\nprint(sys.argv[1:], VALUE, __name__)\n")
        assert succeed(None, "-m", "caplens.compat", str(script), "-r", "x") == "['-r', 'x'] 5 __main__\n"

    def test_runs_a_module(self, tmp_path):
        (tmp_path / "task.py").write_text(OURS + "import sys\nprint(sys.argv[1:])\n")
        assert succeed(None, "-m", "caplens.compat", "-m", "task", "a", folder=tmp_path) == "['a']\n"

    @pytest.mark.parametrize("how", ["script", "module", "package"])
    def test_children_have_the_drop_ins_too(self, tmp_path, how):
        if how == "package":
            (tmp_path / "task").mkdir()
            (tmp_path / "task" / "__main__.py").write_text("from task.work import main\nmain()\n")
            body = SPAWNING.replace('if __name__ == "__main__":', "def main():")
            (tmp_path / "task" / "work.py").write_text(body)
        else:
            (tmp_path / "task.py").write_text(SPAWNING)
        arguments = ["task.py"] if how == "script" else ["-m", "task"]
        lines = succeed(None, "-m", "caplens.compat", *arguments, folder=tmp_path).splitlines()
        assert lines == ["caplens.compat.pycocoevalcap.rouge.rouge 3 1"] * 2

    def test_exit_codes(self, tmp_path):
        assert run(None, "-m", "caplens.compat").returncode == 2
        assert "usage" in run(None, "-m", "caplens.compat", "--help").stderr
        missing = run(None, "-m", "caplens.compat", str(tmp_path / "nothing.py"))
        assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)
        script = tmp_path / "script.py"
        script.write_text("raise SystemExit(7)\n")
        assert run(None, "-m", "caplens.compat", "--aimagelab", str(script)).returncode == 7
