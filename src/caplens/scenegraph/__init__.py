"""Scene graphs of captions: parses, the rules that make tuples of them, and the graph they form."""
