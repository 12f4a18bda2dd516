"""Null models, adjusted values, p-values and sampling intervals."""
