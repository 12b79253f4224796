"""CHAIR: objects that captions name though the image has none."""
