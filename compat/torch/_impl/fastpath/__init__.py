"""Short paths of the commonest calls; all else takes the general path."""
