"""From a parse to the tuples that it proposes."""
