"""What small networks need at run time, without torch: products with packed matrices and layers of an LSTM."""

from caplens.networks._layers import Matrix, ShortMatrix, gelu, largest_rows
from caplens.networks.lstm import LstmLayer

__all__ = ["LstmLayer", "Matrix", "ShortMatrix", "gelu", "largest_rows"]
