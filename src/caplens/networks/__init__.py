"""What small networks need at run time, without torch: products with packed matrices and layers of an LSTM."""

from caplens.networks._layers import Matrix, largest_rows, run_lstm

__all__ = ["Matrix", "largest_rows", "run_lstm"]
