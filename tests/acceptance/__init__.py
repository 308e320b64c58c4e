"""Slow checks on material that lies beside the checkout: each is a program with a make target."""
