"""Problems of many transcripts, found by several processes at once."""

import gc
import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from viewer import problems, text

# What counts as what; the words of `--fail-on`.
CLASSES = {
    "failed_call": "error",
    "api_error": "error",
    "orphan_result": "error",
    "missing_result": "missing",
    "hook": "hook",
    "invalid": "invalid",
    "damaged": "damaged",
}
_LITTER = 64 << 20  # bytes of transcripts whose sessions may lie about
_ALONE = 4 << 20  # bytes that one process reads before a second one is worth its start

Json = dict[str, Any]


@dataclass(slots=True)
class Report:
    """What was found in one transcript."""

    path: str
    lines: list[str] = field(default_factory=list)
    document: Json | None = None
    kinds: dict[str, int] = field(default_factory=dict)
    counted: int = 0  # problems that count
    records: int = 0
    problem: str | None = None  # why it could not be read


def check(
    paths: Sequence[str], counted: Sequence[str], *, as_json: bool
) -> Generator[Report, None, None]:
    """The reports, in the order of the paths. Closing it ends the processes that read them."""
    sizes = [_size(path) for path in paths]
    workers = min(_processors(), len(paths)) if sum(sizes) > _ALONE else 1
    if workers < 2 or "-" in paths:
        yield from _one_by_one(paths, counted, as_json)
        return
    yield from _in_parallel(paths, sizes, workers, counted, as_json)


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS has no such thing
        return os.cpu_count() or 1


def _one_by_one(paths: Sequence[str], counted: Sequence[str], as_json: bool) -> Iterator[Report]:
    """A session is full of circles: they are looked for now and then, not all the time."""
    gc.disable()
    left = 0
    try:
        for path in paths:
            left += _size(path)
            yield check_one(path, counted, as_json=as_json)
            if left > _LITTER:
                gc.collect()
                left = 0
    finally:
        gc.enable()


def check_one(path: str, counted: Sequence[str], *, as_json: bool) -> Report:
    """Never raises but for what ends the program: one bad file must not cost the others."""
    from viewer.commands import Failure

    try:
        return _check(path, counted, as_json)
    except Failure as failure:
        return Report(path, problem=str(failure))
    except Exception as error:
        _tell_traceback()
        name = f"{text.one_line(path, 200)}: claude-view itself failed on it"
        return Report(path, problem=f"{name}: {type(error).__name__}")


def _tell_traceback() -> None:
    """Of the exception that is being handled; its message may be foreign text."""
    lines = traceback.format_exc().splitlines()
    print("\n".join(map(text.clean, lines)), file=sys.stderr, flush=True)


def _check(path: str, counted: Sequence[str], as_json: bool) -> Report:
    from viewer.commands import liveness_of, load

    transcript = load(path, progress=False)
    # A script must be told the same now and in two minutes: a fresh file alone says nothing.
    liveness = liveness_of(transcript, guess=False)
    found = problems.find(transcript, liveness)
    shown = [each for each in found if CLASSES[each.kind] in counted]
    report = Report(path, counted=len(shown), records=transcript.session.counts.total)
    report.kinds = dict(Counter(each.kind for each in found))
    if as_json:
        from viewer.document import problem_document
        from viewer.ending import KINDS, ending
        from viewer.status import Court

        session = transcript.session
        court = Court(transcript, liveness)
        end = ending(transcript, court.judge(session), liveness)
        report.document = {
            "path": path,
            "session_id": session.session_id,
            "format": session.format,
            "title": session.title,
            "records": session.counts.total,
            "ending": {"kind": end.kind, "means": KINDS[end.kind], "words": end.words},
            "problems": [problem_document(each, court) for each in shown],
        }
    else:
        from viewer import render

        report.lines = list(render.as_report(transcript, shown, path, liveness))
        if others := len(found) - len(shown):
            verb = "does" if others == 1 else "do"
            report.lines.append(f"  {others} that {verb} not count here")
    return report


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


# Several processes


def _in_parallel(
    paths: Sequence[str], sizes: list[int], workers: int, counted: Sequence[str], as_json: bool
) -> Iterator[Report]:
    """Forked, so that nothing is imported twice; each tells its reports through a pipe. What no
    process reads, because it has died or could not be started, is read here."""
    import viewer.commands
    import viewer.document
    import viewer.load
    import viewer.render  # noqa: F401

    shares = _shares(sizes, workers)
    where = {place: number for number, share in enumerate(shares) for place in share}
    running: dict[int, _Worker] = {}
    try:
        for number, share in enumerate(shares):
            try:
                others = list(running.values())
                running[number] = _start([paths[n] for n in share], counted, as_json, others)
            except OSError:  # no more processes or pipes are to be had
                break
        dead: set[int] = set()
        for place, path in enumerate(paths):
            number = where[place]
            if number not in running or number in dead:
                yield check_one(path, counted, as_json=as_json)
            elif (report := running[number].next()) is not None:
                yield report
            else:
                dead.add(number)
                name = text.one_line(path, 200)
                yield Report(path, problem=f"{name}: the process that read it has died")
    finally:
        # All pipes before any waiting, so that nobody waits for somebody who cannot write.
        for worker in running.values():
            worker.stop()
        for worker in running.values():
            worker.wait()


def _shares(sizes: list[int], workers: int) -> list[list[int]]:
    """Which files each reads: about the same number of bytes, each in the order of the paths."""
    shares: list[list[int]] = [[] for _ in range(workers)]
    loads = [0] * workers
    for place in sorted(range(len(sizes)), key=lambda each: -sizes[each]):
        lightest = loads.index(min(loads))
        shares[lightest].append(place)
        loads[lightest] += sizes[place] + 4096  # a small file costs something, too
    return [sorted(share) for share in shares if share]


class _Worker:
    def __init__(self, pid: int, pipe: int) -> None:
        self._pid = pid
        self._file = os.fdopen(pipe, "rb")

    def next(self) -> Report | None:
        line = self._file.readline()
        if not line.endswith(b"\n"):
            return None
        return Report(**orjson.loads(line))

    def close(self) -> None:
        self._file.close()

    def stop(self) -> None:
        """Also where it is still at work."""
        self.close()
        os.kill(self._pid, signal.SIGTERM)  # it was not waited for: the number is still its own

    def wait(self) -> None:
        os.waitpid(self._pid, 0)


def _start(
    paths: list[str], counted: Sequence[str], as_json: bool, others: list[_Worker]
) -> _Worker:
    read, write = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(read)
        os.close(write)
        raise
    if pid:
        os.close(write)
        return _Worker(pid, read)
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # what Ctrl-C means is the parent's to say
        os.close(read)
        for other in others:
            other.close()  # held here too, it would never break when the parent closes it
        for report in _one_by_one(paths, counted, as_json):
            _write(write, _encoded(report) + b"\n")
        code = 0
    except BrokenPipeError:
        pass
    except BaseException:
        _tell_traceback()
    finally:
        os._exit(code)


def _write(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]


def _encoded(report: Report) -> bytes:
    from viewer.document import encodable

    fields = {name: getattr(report, name) for name in Report.__slots__}
    return orjson.dumps(encodable(fields))


# As a whole


def as_json(reports: list[Report], unreadable: list[str]) -> str:
    from viewer.document import dump

    return dump(
        {
            "schema": 1,
            "sessions": [report.document for report in reports],
            "unreadable": unreadable,
            "counts": {
                "sessions": len(reports),
                "with_problems": sum(report.counted > 0 for report in reports),
                "counted": sum(report.counted for report in reports),
                "by_kind": dict(sum((Counter(r.kinds) for r in reports), Counter())),
            },
        }
    )


def in_words(reports: list[Report], unreadable: int) -> str:
    """One line about all of them."""
    counts = sum((Counter(report.kinds) for report in reports), Counter[str]())
    bad = sum(report.counted > 0 for report in reports)
    words = [
        f"{text.plural(len(reports), 'session')} checked",
        f"{bad} with problems" if bad else "no problems that count",
        problems.in_words(counts) if counts else "",
        f"{text.plural(unreadable, 'target')} unreadable" if unreadable else "",
    ]
    return ": ".join([words[0], ", ".join(word for word in words[1:] if word)])
