"""Tables of two clusterings: counts of objects, what follows from them, and clusters matched by them."""
