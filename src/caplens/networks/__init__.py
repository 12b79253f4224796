"""What small networks need at run time, without torch: products with packed matrices, layers of an LSTM, attention."""

from caplens.networks._layers import Matrix, ShortMatrix, add_normalized, attention, gelu, largest_rows
from caplens.networks.lstm import LstmLayer

__all__ = ["LstmLayer", "Matrix", "ShortMatrix", "add_normalized", "attention", "gelu", "largest_rows"]
