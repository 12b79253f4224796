"""The critique at run time."""
