"""The encoder of captions behind Lens, at inference."""
