"""The method, in five short files: NumPy in and out, in the order in which a comparison uses them.

1. `distance`: how far simulated losses are from observed ones, W.
2. `error`: the sampling error of a paired difference of mean losses.
3. `spread`: how much that difference varies between groups, τ, where there are groups.
4. `probability`: the probability that one risk is lower than another.
5. `rule`: which models are rejected.

`rivals.laws` puts them together. What makes them safe and fast for extreme losses, series, and
thousands of models is in `rivals.core`, and so is what more groups would bring. `docs/theory.md`
derives every formula.
"""
