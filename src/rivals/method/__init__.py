"""What laws and the decision are made of: NumPy in and out, in the order of a comparison.

1. `distance`: how far simulated losses are from observed ones, the misfit W.
2. `error`: the sampling error of a paired difference of mean losses.
3. `spread`: how much that difference varies between groups, τ, where there are groups.
4. `probability`: the probability that one risk is lower than another.
5. `rule`: which models are rejected.

`rivals.laws` puts them together; the paper's beta process is in `rivals.laws.beta`.
"""
