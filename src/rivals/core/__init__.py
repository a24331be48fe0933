"""The mathematics: from samples of losses to the law of the risk and the probability that one beats another."""
