"""Training of the critique, and the studies made of such trainings."""
