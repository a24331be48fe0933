"""The mathematics: from samples of losses to the law of the risk, and to the probability that one
model beats another.

Pure: arrays in, arrays out. Imports NumPy, `scipy.special` and the files beside this folder,
nothing else.
"""
