"""Packs: the reference tool's scene graphs of captions that are known beforehand."""
