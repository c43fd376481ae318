"""load_nvprof: ranges and kernels of a file that nvprof wrote."""

from contextlib import closing

from ....._engine import LazyModule
from .events import EventList, FunctionEvent

sqlite3 = LazyModule("sqlite3")  # which some builds of Python lack

MARKERS = """
SELECT start.id AS id, name.value AS name, start.timestamp AS begins, stop.timestamp AS ends
FROM CUPTI_ACTIVITY_KIND_MARKER AS start
    INNER JOIN CUPTI_ACTIVITY_KIND_MARKER AS stop ON start.id = stop.id
    LEFT JOIN StringTable AS name ON name._id_ = start.name
WHERE start.name != 0 AND stop.name = 0
"""
KERNELS = """
SELECT start.id AS id, call._id_ AS call, call.cbid AS kind, kernel.start AS begins, kernel.end AS ends,
    kernel.name AS name
FROM CUPTI_ACTIVITY_KIND_MARKER AS start
    INNER JOIN CUPTI_ACTIVITY_KIND_MARKER AS stop ON start.id = stop.id
    INNER JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS call ON start.timestamp < call.start AND call.end < stop.timestamp
    INNER JOIN CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL AS kernel ON kernel.correlationId = call.correlationId
"""
LAUNCH = 211  # the number of cudaLaunchKernel among calls of CUDA's runtime, from CUDA 9.2 on


class EnforceUnique:
    """Refuses a key that was seen before."""

    def __init__(self):
        self.seen = set()

    def see(self, *key):
        """Note a key."""
        if key in self.seen:
            raise RuntimeError(f"duplicate key: {key}")
        self.seen.add(key)


def load_nvprof(path):
    """The ranges that `emit_nvtx` left in a file of nvprof, as an EventList; each has the kernels started inside.

    Args:
        path: the file, which is an SQLite database.
    Raises:
        RuntimeError: a range or a call stands in it twice.
        AssertionError: a kernel was started by another call than cudaLaunchKernel.
    """
    return EventList(parse_nvprof_trace(path))


def parse_nvprof_trace(path):
    """The events of `load_nvprof` as a list."""
    with closing(sqlite3.connect(path)) as file:
        file.row_factory = sqlite3.Row
        events, ranges, calls = {}, EnforceUnique(), EnforceUnique()
        for row in file.execute(MARKERS):
            ranges.see(row["id"])
            events[row["id"]] = FunctionEvent(id=row["id"], node_id=0, name=row["name"], start_us=row["begins"],
                                              end_us=row["ends"], thread=0)
        for row in file.execute(KERNELS):
            calls.see(row["id"], row["call"])
            if row["kind"] != LAUNCH:
                raise AssertionError(f"Expected cbid to be {LAUNCH}, but got {row['kind']}")
            events[row["id"]].append_kernel(row["name"], 0, row["ends"] - row["begins"])
    return sorted(events.values(), key=lambda e: e.time_range.start)
