"""Compact bilinear pooling: the outer product of two vectors, sketched into fewer numbers.

References
----------
Y. Gao, O. Beijbom, N. Zhang, T. Darrell: Compact bilinear pooling, CVPR 2016.
N. Pham, R. Pagh: Fast and scalable polynomial kernels via explicit feature maps, KDD 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from caplens.arrays import Singles


@dataclass(frozen=True, eq=False)
class CountSketch:
    """A random projection that adds each number, with a random sign, to one of ``size`` places.

    Examples
    --------
    >>> sketch = CountSketch(np.array([2, 0, 2]), np.array([1, -1, 1]), 4)
    >>> sketch(np.array([[1.0, 2.0, 3.0]], np.float32)).tolist()
    [[-2.0, 0.0, 4.0, 0.0]]
    """

    places: npt.NDArray[np.int64]
    signs: npt.NDArray[np.int8]
    size: int

    @classmethod
    def draw(cls, width: int, size: int, generator: np.random.Generator) -> Self:
        """Draw the places and signs of vectors of ``width`` numbers."""
        signs = (2 * generator.integers(0, 2, width) - 1).astype(np.int8)
        return cls(generator.integers(0, size, width), signs, size)

    def __call__(self, vectors: Singles) -> Singles:
        """Sketch the rows of a matrix."""
        order = np.argsort(self.places, kind="stable")
        places, starts = np.unique(self.places[order], return_index=True)
        sketched = np.zeros((len(vectors), self.size), np.float32)
        sketched[:, places] = np.add.reduceat((vectors * self.signs)[:, order], starts, axis=1)
        return sketched


def pool(left: Singles, right: Singles, left_sketch: CountSketch, right_sketch: CountSketch) -> Singles:
    r"""Return the sketch of the outer product of each row of ``left`` with the same row of ``right``.

    .. math:: \Phi(x \otimes y) = \Phi(x) * \Phi(y)
              = \mathcal F^{-1}(\mathcal F(\Phi(x)) \cdot \mathcal F(\Phi(y)))

    The sketch of an outer product is the circular convolution of the sketches, so the product itself, which has as many
    numbers as the two widths multiplied, is never made.
    """
    spectrum = np.fft.rfft(left_sketch(left), axis=1) * np.fft.rfft(right_sketch(right), axis=1)
    pooled: Singles = np.fft.irfft(spectrum, n=left_sketch.size, axis=1).astype(np.float32)
    return pooled


def as_matrix(weights: Singles, left_sketch: CountSketch, right_sketch: CountSketch) -> Singles:
    r"""Return the matrix :math:`M` for which :math:`w \cdot \Phi(x \otimes y) = x^\top M y`.

    A linear classifier of pooled vectors is a bilinear form, so that whoever only scores needs neither sketches nor
    Fourier transforms: :math:`M_{ij} = s_i\, s'_j\, w_{(h_i + h'_j) \bmod d}`.
    """
    places = (left_sketch.places[:, np.newaxis] + right_sketch.places) % left_sketch.size
    matrix: Singles = weights[places] * np.multiply.outer(left_sketch.signs, right_sketch.signs).astype(np.float32)
    return matrix
