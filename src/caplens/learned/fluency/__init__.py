"""The language model of `fluency`."""
