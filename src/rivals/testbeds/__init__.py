"""Systems to try the method on: black body radiation, and toys."""
