"""The address table passed to native code, which keeps its text free of addresses of this process."""

import numpy as np


class Slots:
    """The addresses that the text of a module asks for, by names that are the same in every process."""

    def __init__(self):
        self.places = {}  # name -> place
        self.addresses = []
        self.kept = []  # what must live as long as the code, a place each

    def place(self, name, address, kept=None):
        """The slot of the address with this name in the table."""
        if name not in self.places:
            self.places[name] = len(self.addresses)
            self.addresses.append(address)
            self.kept.append(kept)
        return self.places[name]

    def constant(self, array):
        """The slot of the address of an array's elements."""
        for k, other in enumerate(self.kept):
            if other is array:
                return k
        return self.place(f"constant {len(self.addresses)}", array.__array_interface__["data"][0], array)

    def load(self, text, place):
        """The address at a place of the table, in a function that has it as `%table`."""
        at = text.op(f"getelementptr inbounds ptr, ptr %table, i64 {place}", "ptr")
        return text.op(f"load ptr, ptr {at}", "ptr")

    @property
    def legend(self):
        """The names in their order, as a line of a module: where two texts are the same, their tables are, too."""
        return f"; table: {', '.join(self.places)}"

    def table(self):
        """The addresses in memory."""
        found = np.array(self.addresses, np.uint64).view(Table)
        found.kept = [self.kept]
        return found


class Table(np.ndarray):
    """Addresses, with what must live as long as they are used."""

    kept: list
