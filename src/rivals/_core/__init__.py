"""What a comparison is made of, from arrays to the decision."""
