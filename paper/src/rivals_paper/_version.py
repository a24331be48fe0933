"""The version of the paper's figures and tables, read by the build."""

__version__ = "0.1.0"
