"""The `evaluation` package of aimagelab's captioning projects."""
