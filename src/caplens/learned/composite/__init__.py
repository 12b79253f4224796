"""The networks of composite metrics at run time."""
