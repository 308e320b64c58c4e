"""API errors. A run of retries, and the message that ends it, are one thing that happened."""

from viewer.model import Entry, Row
from viewer.records import ApiFailed


class Retries:
    def __init__(self) -> None:
        self._last: Entry | None = None  # while nothing else was said
        self._retrying = False

    def end(self) -> None:
        """Something else was said: what fails from now on is another failure."""
        self._last = None

    def take(self, row: Row, part: ApiFailed) -> tuple[Entry, bool]:
        """The entry of a failure, and whether it is a new one."""
        attempt = part.attempt
        label = f"retry {attempt}" + (f"/{part.most}" if part.most else "") if attempt else ""
        known = self._last
        if known is not None and (attempt or self._retrying or known.text == part.text):
            # The result record of a capture says it once more.
            self._retrying = attempt is not None
            known.text, known.label = part.text, label or known.label
            return Entry("duplicate", row, part.text, "retry", hidden=True), False
        entry = Entry("api_error", row, part.text, label, "error")
        self._last, self._retrying = entry, attempt is not None
        return entry, True
