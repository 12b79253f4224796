"""The PTB tokenizer, where the original keeps it."""
