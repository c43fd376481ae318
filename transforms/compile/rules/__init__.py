"""Rules of rewriting, by subject."""
