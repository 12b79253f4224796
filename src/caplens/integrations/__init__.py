"""Caplens inside other libraries: torchmetrics, rewards of reinforcement learning, Hugging Face `evaluate`."""
