"""Random numbers: generators, and what is drawn from them."""
