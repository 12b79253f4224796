"""How kernels hear that they should stop; nothing in it for Python."""
