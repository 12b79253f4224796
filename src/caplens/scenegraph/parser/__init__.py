"""From a caption to its parse: our caption parser, other parsers, kept parses."""
