"""The tokenizer, where the original keeps it."""
