"""How public projects call the COCO tools, as small functions of our own: the same file runs on both tools.

    python tests/compat/call_sites.py                          # the original
    python -m caplens.compat tests/compat/call_sites.py        # caplens

Each function returns plain data; docs/drop_ins.md says which file of which project calls in that way. SPICE is left
out or replaced, because the original needs a download for it. All scorers of the original share one Java process for
METEOR, whose start takes most of the time.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from functools import cache
from types import SimpleNamespace

REFERENCES = {
    391895: ["A man on a motorcycle.", "A man riding a dirt bike, on a road", "someone's bike"],
    522418: ["A woman is cutting a white cake with a knife.", "A woman wearing a net on her head cutting a cake. "],
    184613: ["A boy with an umbrella, near two cows!", "two cows & a child with an umbrella"],
    318219: ["A young boy standing in front of a computer keyboard.", "a little boy wearing headphones"],
}
CANDIDATES = {
    391895: "A man is riding a motorcycle on a dirt road.",
    522418: "a woman cutting a large white sheet cake",
    184613: "A child holding a flowered umbrella and petting a yak.",
    318219: "",
}


class NoSpice:
    """What scripts put in the place of SPICE where Java is too slow or too old."""

    def compute_score(self, gts, res):
        return 0.0, [0.0 for _ in gts]

    def method(self):
        return "SPICE"


def coco_objects(name=int):
    from pycocotools.coco import COCO

    annotations = [
        {"id": 10 * image + place, "image_id": name(image), "caption": caption}
        for image, captions in REFERENCES.items()
        for place, caption in enumerate(captions)
    ]
    coco = COCO()
    coco.dataset = {"images": [{"id": name(image)} for image in REFERENCES], "annotations": annotations, "info": {}}
    coco.createIndex()
    return coco, coco.loadRes([{"image_id": name(image), "caption": caption} for image, caption in CANDIDATES.items()])


@cache
def tokenised():
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    tokenizer = PTBTokenizer()
    gts = tokenizer.tokenize({image: [{"caption": text} for text in texts] for image, texts in REFERENCES.items()})
    res = tokenizer.tokenize({image: [{"caption": text}] for image, text in CANDIDATES.items()})
    return gts, res


def numbers(value):
    """Return what a scorer returned as plain data."""
    if isinstance(value, list | tuple):
        return [numbers(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


def whole_evaluation():
    """All of COCOEvalCap, with SPICE replaced in the module beforehand."""
    import pycocoevalcap.eval
    from pycocoevalcap.eval import COCOEvalCap

    before, pycocoevalcap.eval.Spice = pycocoevalcap.eval.Spice, NoSpice
    try:
        evaluation = COCOEvalCap(*coco_objects())
        evaluation.evaluate()
    finally:
        pycocoevalcap.eval.Spice = before
    return [
        [[name, float(score)] for name, score in evaluation.eval.items()],
        {str(image): numbers(list(scores.values())) for image, scores in evaluation.imgToEval.items()},
        [entry["image_id"] for entry in evaluation.evalImgs],
    ]


def chosen_images():
    """Only the images that have results."""
    import pycocoevalcap.eval
    from pycocoevalcap.eval import COCOEvalCap

    coco, results = coco_objects()
    before, pycocoevalcap.eval.Spice = pycocoevalcap.eval.Spice, NoSpice
    try:
        evaluation = COCOEvalCap(coco, results)
        evaluation.params["image_id"] = results.getImgIds()[:3]
        evaluation.evaluate()
    finally:
        pycocoevalcap.eval.Spice = before
    return {name: float(score) for name, score in evaluation.eval.items()}


def scorers_from_the_evaluation_module():
    """Names of scorers are imported from the module of the evaluation, captions taken from its COCO objects."""
    from pycocoevalcap.eval import Bleu, Cider, COCOEvalCap, Meteor, Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    evaluation = COCOEvalCap(*coco_objects())
    images = evaluation.params["image_id"]
    tokenizer = PTBTokenizer()
    gts = tokenizer.tokenize({image: evaluation.coco.imgToAnns[image] for image in images})
    res = tokenizer.tokenize({image: evaluation.cocoRes.imgToAnns[image] for image in images})
    found = {}
    for scorer, name in ((Bleu(4), "Bleu"), (Meteor(), "METEOR"), (Rouge(), "ROUGE_L"), (Cider(), "CIDEr")):
        score, _ = scorer.compute_score(gts, res)
        found[name] = numbers(score)
    return found


def list_of_scorers():
    """Scorers with their names, untokenised captions and ids that are text."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    gts = {str(place): texts for place, texts in enumerate(REFERENCES.values())}
    res = {str(place): [text] for place, text in enumerate(CANDIDATES.values())}
    found = {}
    for scorer, names in ((Bleu(4), ["B1", "B2", "B3", "B4"]), (Rouge(), "ROUGE_L"), (Cider(), "CIDEr")):
        score, scores = scorer.compute_score(gts, res)
        if type(names) is list:
            pairs = zip(score, scores, strict=True)
            found.update({name: numbers(pair) for name, pair in zip(names, pairs, strict=True)})
        else:
            found[names] = numbers([score, scores])
    return found


def modules_instead_of_names():
    """``from pycocoevalcap.cider import cider``."""
    from pycocoevalcap.bleu import bleu
    from pycocoevalcap.cider import cider
    from pycocoevalcap.meteor import meteor
    from pycocoevalcap.rouge import rouge

    gts, res = tokenised()
    makers = (bleu.Bleu, cider.Cider, meteor.Meteor, rouge.Rouge)
    return {scorer.method(): numbers(scorer.compute_score(gts, res)) for scorer in (make() for make in makers)}


def is_it_installed():
    """Ask before importing."""
    from importlib.metadata import distribution, version
    from importlib.util import find_spec

    names = ("pycocoevalcap", "pycocoevalcap.eval", "pycocoevalcap.cider.cider")
    found = [bool(find_spec(name)) for name in names]
    return [distribution("pycocoevalcap").metadata["Name"], version("pycocoevalcap"), found]


def one_image_at_a_time():
    """Call after call with a single image, as evaluations of video captions do."""
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge

    gts, res = tokenised()
    found = []
    for scorer in (Meteor(), Rouge(), Cider()):
        found += [numbers(scorer.compute_score({0: gts[image]}, {0: res[image]})) for image in gts]
    return found


def swapped():
    """Predictions passed as gts: both sides have one caption."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider

    gts, res = tokenised()
    single = {image: texts[:1] for image, texts in gts.items()}
    return [numbers(Cider().compute_score(res, single)), numbers(Bleu(4).compute_score(res, single, verbose=0))]


def word_numbers():
    """Captions of word numbers with a closing 0."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider

    gts = {0: ["12 7 40 0", "12 7 9 0"], 1: ["3 4 5 6 7 0"], 2: ["0"]}
    res = {0: ["12 7 40 0"], 1: ["3 4 0"], 2: ["0"]}
    return [numbers(Cider().compute_score(gts, res)), numbers(Bleu(4).compute_score(gts, res)[1][3])]


def first_argument_of_cider():
    """``Cider(something)``: the first argument is not used."""
    from pycocoevalcap.cider.cider import Cider

    gts, res = tokenised()
    return numbers(Cider(gts).compute_score(gts, res))


def bleu_scorer():
    """Add captions one by one."""
    from pycocoevalcap.bleu.bleu_scorer import BleuScorer

    gts, res = tokenised()
    scorer = BleuScorer(n=4)
    for image in gts:
        scorer += (res[image][0], gts[image])
    found = [numbers(scorer.compute_score(option="closest", verbose=1)), scorer.size(), scorer.n]
    for option in ("shortest", "average"):
        other = BleuScorer(n=4)
        for image in gts:
            other += (res[image][0], gts[image])
        found.append(numbers(other.compute_score(option=option)))
    single = BleuScorer("a man rides", ["a man rides a horse", "a man"], n=2)
    return [*found, numbers(single.compute_score()), scorer.ctest[0]["guess"], scorer.crefs[0][0]]


def cider_scorer():
    """Derive from the scorer, keep its document frequencies for later."""
    import pickle

    import numpy as np
    from pycocoevalcap.cider.cider_scorer import CiderScorer, precook

    class Kept(CiderScorer):
        def __init__(self, test=None, refs=None, n=4, sigma=6.0):
            super().__init__(test, refs, n, sigma)

        def score_all(self):
            self.compute_doc_freq()
            return self.compute_cider()

    gts, res = tokenised()
    scorer = Kept()
    for image in gts:
        scorer += (res[image][0], gts[image])
    found = [numbers(scorer.score_all()), scorer.size(), float(scorer.ref_len)]
    frequencies = pickle.loads(pickle.dumps(scorer.document_frequency))
    other = CiderScorer(n=4, sigma=6.0)
    other += (None, ["a man on a horse"])
    other.compute_doc_freq()
    seen = sorted(" ".join(ngram) for ngram in other.document_frequency)
    again = CiderScorer("a man on a bike", gts[391895])
    again += ("a white cake", gts[522418])
    again.document_frequency = frequencies
    merged = CiderScorer()
    merged += again
    merged.document_frequency = frequencies
    return [*found, seen, numbers(again.compute_cider()), numbers(merged.compute_cider()), float(np.log(2)),
            {"Counter": len(precook("a b a b"))}, [len(counts) for counts in again.crefs[0]]]  # fmt: skip


def rouge_of_one():
    """``calc_score`` with a list of one caption."""
    from pycocoevalcap.rouge.rouge import Rouge, my_lcs

    gts, res = tokenised()
    rouge = Rouge()
    return [float(rouge.calc_score(res[image], gts[image])) for image in gts] + [my_lcs(["a", "b", "c"], ["a", "c"])]


def lines_of_meteor():
    """Write to METEOR's process oneself."""
    from pycocoevalcap.meteor.meteor import Meteor

    gts, res = tokenised()
    meteor = Meteor()
    found = []
    with meteor.lock:
        line = "EVAL"
        for image in gts:
            line += f" ||| {meteor._stat(res[image][0], gts[image])}"
        meteor.meteor_p.stdin.write(f"{line}\n".encode())
        meteor.meteor_p.stdin.flush()
        found += [float(meteor.meteor_p.stdout.readline().strip()) for _ in range(len(gts) + 1)]
        meteor.meteor_p.stdin.write(b"SCORE ||| a man rides a horse ||| a man ||| a man on a horse\n")
        meteor.meteor_p.stdin.flush()
        found.append([float(number) for number in meteor.meteor_p.stdout.readline().decode().split()])
    return found


def statistics_of_its_own():
    """Replace ``_stat``: whole numbers, other references."""
    from pycocoevalcap.meteor.meteor import Meteor

    class Whole(Meteor):
        def _stat(self, hypothesis_str, reference_list):
            return " ".join(str(int(float(number))) for number in super()._stat(hypothesis_str, reference_list).split())

    gts, res = tokenised()
    return numbers(Whole().compute_score(gts, res))


def more_references_than_images():
    """Every reference in turn as a candidate against the others: human agreement."""
    from pycocoevalcap.cider.cider import Cider

    gts, _ = tokenised()
    found = []
    for left_out in range(2):
        rest = {image: texts[:left_out] + texts[left_out + 1 :] for image, texts in gts.items()}
        found.append(numbers(Cider().compute_score(rest, {image: [texts[left_out]] for image, texts in gts.items()})))
    return found


def tuple_of_names():
    """A scorer for each name, as evaluations with a switch have it; scores put into a table by image."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.rouge.rouge import Rouge

    gts, res = tokenised()
    table = {image: {} for image in gts}
    for order, scores in enumerate(Bleu(2).compute_score(gts, res, 0)[1], 1):
        for image, score in zip(gts, scores, strict=True):
            table[image][f"BLEU-{order}"] = float(score)
    for image, score in zip(gts, Rouge().compute_score(gts, res)[1], strict=True):
        table[image]["ROUGE-L"] = float(score)
    return {str(image): scores for image, scores in table.items()}


def results_in_other_order():
    """Results in another order than the references: order of keys must not matter."""
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor

    gts, res = tokenised()
    reversed_results = {image: res[image] for image in reversed(list(res))}
    return [numbers(scorer.compute_score(gts, reversed_results)) for scorer in (Cider(), Meteor())]


def kept_tokenizer_and_scorer():
    """A tokenizer and BLEU made once, then used for a list of entries; BLEU-4 is the last of the scores."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    tokenizer, scorer = PTBTokenizer(), Bleu(4)
    gts, res = {}, {}
    for place, image in enumerate(REFERENCES):
        gts[place] = [{"caption": text} for text in REFERENCES[image]]
        res[place] = [{"caption": CANDIDATES[image]}]
    score, _ = scorer.compute_score(tokenizer.tokenize(gts), tokenizer.tokenize(res))
    return score[3]


def one_pair():
    """One reference and one candidate, tokenised for themselves."""
    from pycocoevalcap.eval import Bleu, Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    tokenizer = PTBTokenizer()
    reference = tokenizer.tokenize({0: [{"caption": REFERENCES[391895][1]}]})
    candidate = tokenizer.tokenize({0: [{"caption": CANDIDATES[391895]}]})
    return [
        numbers(Bleu(4).compute_score(reference, candidate)[0][3]),
        float(Rouge().compute_score(reference, candidate)[0]),
    ]


def captions_by_video():
    """Captions of several videos are tokenised together and scored by video; means over videos."""
    import numpy as np
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge

    gts, res = tokenised()
    images = list(gts)
    videos = {"v_a": images[:2], "v_b": images[2:]}
    output = {}
    scorers = ((Bleu(4), ["Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4"]), (Meteor(), "METEOR"), (Rouge(), "ROUGE_L"),
               (Cider(), "CIDEr"))  # fmt: skip
    for scorer, method in scorers:
        scores = [
            scorer.compute_score({image: gts[image][:1] for image in chosen}, {image: res[image] for image in chosen})[
                0
            ]
            for chosen in videos.values()
        ]
        print(f"computing {scorer.method()} score...")
        if type(method) is list:
            output.update(zip(method, np.mean(scores, axis=0).tolist(), strict=True))
        else:
            output[method] = float(np.mean(scores))
    return output


def predictions_against_each_reference():
    """All predictions against one reference after the other, as gts: a matrix of scores."""
    import numpy as np
    from pycocoevalcap.meteor.meteor import Meteor

    gts, res = tokenised()
    scorer = Meteor()
    predictions = dict(enumerate(res.values()))
    golds = [texts[:1] for texts in gts.values()]
    return np.array([scorer.compute_score(predictions, dict.fromkeys(predictions, gold))[1] for gold in golds]).tolist()


def results_in_a_list():
    """An evaluation of a project's own over enumerated results, with numbered images."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    results = [
        {"gen": [{"caption": CANDIDATES[image]}], "true": [{"caption": text} for text in texts]}
        for image, texts in REFERENCES.items()
    ]
    tokenizer = PTBTokenizer()
    gts = tokenizer.tokenize({place: entry["true"] for place, entry in enumerate(results)})
    res = tokenizer.tokenize({place: entry["gen"] for place, entry in enumerate(results)})
    by_image = {}
    for scorer, names in ((Bleu(4), ["B1", "B2", "B3", "B4"]), (Rouge(), ["ROUGE_L"]), (Cider(), ["CIDEr"])):
        print(f"computing {scorer.method()} score...")
        score, scores = scorer.compute_score(gts, res)
        for name, values in zip(names, scores if len(names) > 1 else [scores], strict=True):
            print(f"{name}: {score[0] if type(score) is list else score:0.3f}")
            for image, value in zip(sorted(gts.keys()), values, strict=True):
                by_image.setdefault(str(image), {})[name] = float(value)
    return by_image


def mutual_bleu():
    """Each of several captions of an image against the others: diversity."""
    import numpy as np
    from pycocoevalcap.bleu.bleu import Bleu

    gts, _ = tokenised()
    captions = {image: texts[:2] for image, texts in gts.items()}
    scorer = Bleu(4)
    found, by_image = [], np.zeros((2, len(captions)))
    for place in range(2):
        others = {image: texts[:place] + texts[place + 1 :] for image, texts in captions.items()}
        score, scores = scorer.compute_score(others, {image: [texts[place]] for image, texts in captions.items()})
        found.append(score)
        by_image[place, :] = scores[1]
    return [np.array(found).mean(axis=0).tolist(), by_image.tolist()]


def entries_as_text_ids():
    """Ids that are text in the annotations and in the results."""
    import pycocoevalcap.eval
    from pycocoevalcap.eval import COCOEvalCap

    coco, results = coco_objects(str)
    before, pycocoevalcap.eval.Spice = pycocoevalcap.eval.Spice, NoSpice
    try:
        evaluation = COCOEvalCap(coco, results)
        evaluation.params["image_id"] = results.getImgIds()
        evaluation.evaluate()
    finally:
        pycocoevalcap.eval.Spice = before
    return [{name: float(score) for name, score in evaluation.eval.items()}, list(evaluation.imgToEval)]


def share_java():
    """Let all METEOR scorers of the original talk to one process."""
    from pycocoevalcap.meteor import meteor

    if not hasattr(meteor, "subprocess"):
        return  # caplens starts none
    started = []

    def start(*arguments, **options):
        if not started:
            started.append(subprocess.Popen(*arguments, **options))
        process = started[0]
        stdin = SimpleNamespace(write=process.stdin.write, flush=process.stdin.flush, close=lambda: None)
        return SimpleNamespace(stdin=stdin, stdout=process.stdout, kill=lambda: None, wait=lambda: None)

    meteor.subprocess = SimpleNamespace(Popen=start, PIPE=subprocess.PIPE)


CALL_SITES = (
    whole_evaluation, chosen_images, scorers_from_the_evaluation_module, list_of_scorers, modules_instead_of_names,
    is_it_installed, one_image_at_a_time, swapped, word_numbers, first_argument_of_cider, bleu_scorer, cider_scorer,
    rouge_of_one, lines_of_meteor, statistics_of_its_own, more_references_than_images, tuple_of_names,
    results_in_other_order, kept_tokenizer_and_scorer, one_pair, captions_by_video, predictions_against_each_reference,
    results_in_a_list, mutual_bleu, entries_as_text_ids,
)  # fmt: skip


def main():
    share_java()
    printed, results = {}, {}
    for site in CALL_SITES:
        lines = io.StringIO()
        with contextlib.redirect_stdout(lines):
            results[site.__name__] = site()
        printed[site.__name__] = [line for line in lines.getvalue().splitlines() if "(t=" not in line]
    sys.stdout.write(json.dumps({"results": results, "printed": printed}) + "\n")


if __name__ == "__main__":
    main()
