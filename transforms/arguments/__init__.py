"""What happens to arguments before a transform starts, and to results before they leave it."""
