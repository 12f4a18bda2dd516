"""Distances between objects: their sums and ends by cluster, and how densely clusters hang together."""
