"""Arguments before a transform starts, and results before they leave it."""
