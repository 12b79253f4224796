"""The public functions: score, compare, explain, metric, load."""
