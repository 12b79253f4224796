"""Judged captioning systems, and how their scores correlate with the judgments."""
