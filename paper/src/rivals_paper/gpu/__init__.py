"""Neurons by the ten thousand on one GPU: simulations, the judge of a calibration, and records of both."""
