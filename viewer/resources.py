"""Where styles/ and sample_sessions/ are: beside the package in a checkout or an editable
install, inside it in a wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).parent
# When the samples were made up, in September 2026: a checkout writes them in any order.
SAMPLES_WRITTEN = 1_790_000_000.0


def folder(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def sample_sessions() -> Path:
    return folder("sample_sessions")
