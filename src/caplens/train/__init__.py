"""Training of learned metrics; torch is imported on use (extra ``train``)."""
