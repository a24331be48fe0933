"""The systems the method was proven on: black body radiation, a neural circuit, and coloured noise."""
