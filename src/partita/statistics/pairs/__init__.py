"""Pairs of objects: how far two clusterings agree on which belong together."""
