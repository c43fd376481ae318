"""The parts of gradcheck."""
