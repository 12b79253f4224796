"""Files, progress, threads."""
