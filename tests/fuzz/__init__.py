"""Fuzzing: `python -m tests.fuzz`, `make fuzz`."""
