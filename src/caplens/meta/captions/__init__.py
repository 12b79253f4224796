"""Judged captions, and how scores correlate with the judgments."""
