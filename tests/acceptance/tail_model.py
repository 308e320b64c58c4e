"""hostile/tail_model.py with our Tail: 5,000 random lives of a file, by `make hostile`."""

import sys

from tests.acceptance.shared import SHARED, module, must_exist
from viewer.tail import Tail


class Ours:
    """Our Tail, as the model drives it."""

    def __init__(self) -> None:
        self.tail: Tail | None = None

    @property
    def fd(self) -> int | None:
        return self.tail.fd if self.tail else None

    def poll(self, path: str) -> list[bytes]:
        if self.tail is None:
            self.tail = Tail(path)
        return [line for chunk in self.tail.read() for line in chunk.lines]


def failures(runs: int) -> list[int]:
    """The seeds of the runs in which a line was lost or came twice."""
    model = module(must_exist(SHARED / "hostile" / "tail_model.py"))
    return [seed for seed in range(runs) if not model.run(Ours, seed)[0]]


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    failed = failures(runs)
    print(f"{runs} random runs of the tail model; {len(failed)} wrong {failed[:10] or ''}".rstrip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
