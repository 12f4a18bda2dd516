"""Data and clusters: centres, scatter, components, and what lies around them."""
