"""claude-view: what coding agents did and are doing, from the transcripts they leave on disk.

What stands directly in this package is pure: no terminal, no textual, no rich.
"""

__version__ = "0.1.0"
