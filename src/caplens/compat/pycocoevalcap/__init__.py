"""The names of ``pycocoevalcap`` 1.2 without Java: put ``caplens.compat.`` in front of it in the imports.

Calls, return values and printed lines are those of the original; so are the scores, caption by caption, but for SPICE,
which has the original's rules and a parser of its own. Like the original's, the scorers take captions that are
tokenised already (`PTBTokenizer` does that) and only cut them at spaces; METEOR also normalises them, and needs its
data files (``pip install "caplens[meteor]"``).

Examples
--------
>>> from caplens.compat.pycocoevalcap.rouge.rouge import Rouge
>>> score, scores = Rouge().compute_score({7: ["two dogs run"]}, {7: ["two dogs"]})
>>> round(float(score), 3), scores.shape
(0.772, (1,))
"""

from caplens.compat.pycocoevalcap.bleu.bleu import Bleu
from caplens.compat.pycocoevalcap.cider.cider import Cider
from caplens.compat.pycocoevalcap.eval import COCOEvalCap
from caplens.compat.pycocoevalcap.meteor.meteor import Meteor
from caplens.compat.pycocoevalcap.rouge.rouge import Rouge
from caplens.compat.pycocoevalcap.spice.spice import Spice
from caplens.compat.pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

__all__ = ["Bleu", "COCOEvalCap", "Cider", "Meteor", "PTBTokenizer", "Rouge", "Spice"]
