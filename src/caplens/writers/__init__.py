"""Results into files and onto the screen."""
