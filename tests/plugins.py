"""Packages that a user might have installed, made up for a test."""

from __future__ import annotations


def install(folder, group, name, value):
    """Leave in a folder what an installed package leaves where Python looks for modules."""
    information = folder / f"made_up_{name}-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: made-up-{name}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[{group}]\n{name} = {value}\n")


def offer(folder, monkeypatch, group, name, value):
    """Install a package that offers something, for this test and this process."""
    install(folder, group, name, value)
    monkeypatch.syspath_prepend(folder)
