"""Python's search for garbage in circles, kept out of the way."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def collect() -> None:
    gc.collect()


@contextmanager
def without_collection() -> Iterator[None]:
    """Nothing made while reading is garbage in circles; looking for it costs a third of the
    time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
