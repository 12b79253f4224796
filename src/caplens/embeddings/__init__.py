"""Word vectors: tables of them, the formats they come in, and where they are kept."""
