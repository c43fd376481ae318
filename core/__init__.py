"""Operations: primitives, their rules, traces, avals and the registries."""

from . import roads as roads
