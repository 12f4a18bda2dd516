"""The algorithms: exact laws, exact ends, and bounds with a certificate."""
