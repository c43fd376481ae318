"""Values that stand for arrays while a transform runs, and the traces that own them."""
