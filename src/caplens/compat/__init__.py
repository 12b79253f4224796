"""Drop-in faces of other tools: their names, calls and return values over caplens."""
