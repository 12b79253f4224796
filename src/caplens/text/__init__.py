"""Words, n-grams and tokenizers."""

MAX_WORDS = 2000
"""How many words of a caption count unless another number is asked for; 0 stands for all."""
