"""The state of a tensor: its level, its history, its gradient and who shares its memory."""
