"""Judged pairs of captions, and how often metrics prefer the same one."""
