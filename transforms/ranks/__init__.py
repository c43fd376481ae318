"""Collectives over ranks: processes that hold shards of the same arrays and exchange messages."""
