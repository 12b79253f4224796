"""Words, n-grams and tokenizers."""
