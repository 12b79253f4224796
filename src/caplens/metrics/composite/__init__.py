"""Networks over the scores of other metrics."""
