"""From tuples to scene graphs, and how two of them match."""
