"""The version, read by the build and by results that must say how to repeat them."""

__version__ = "0.1.0"
