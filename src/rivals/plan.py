"""Placeholder for the plan, which comes in the next commit."""
