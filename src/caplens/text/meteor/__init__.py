"""What METEOR knows about English text: its normaliser, its tables, and the index of its paraphrases."""
