"""Short roads of the commonest calls; all else takes the general road."""
