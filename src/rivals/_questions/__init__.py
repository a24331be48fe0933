"""Questions to a comparison, a file each."""
