"""Write stand-ins for image features: mean word vectors of the references of each image.

python training/critique/features.py OUT.npz

No images can be had here. These stand-ins make every line of the image path run; what is measured with them says
nothing about images, since they hold words of the human captions that are judged.
"""

from __future__ import annotations

import sys

import numpy as np
from splits import REFERENCES

from caplens.train.critique.captions import NumberedCaptions, read_image_captions


def main(output: str) -> None:
    """Write."""
    captions = NumberedCaptions.of(read_image_captions([REFERENCES]), "ptb")
    np.savez(output, ids=np.array(captions.images), features=captions.surroundings)


if __name__ == "__main__":
    main(*sys.argv[1:])
