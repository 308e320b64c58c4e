"""Where styles/ and sample_sessions/ are: beside the package in a checkout or an editable
install, inside it in a wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def folder(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def sample_sessions() -> Path:
    return folder("sample_sessions")
