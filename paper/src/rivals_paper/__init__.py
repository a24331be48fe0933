"""Figures and tables of René & Longtin (2025), one module each: as published, and corrected."""
