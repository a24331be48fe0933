"""Neurons by the ten thousand on one GPU.

Simulations, the judge of a calibration, and records of both.
"""
