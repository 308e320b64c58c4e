"""The sample sessions: one function for each, see tests/make_samples.py."""
