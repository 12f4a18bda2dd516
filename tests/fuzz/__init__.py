"""Fuzzing: documents drawn at random, each handed to partita, which must answer or refuse in its own words.

An example is a JSON document (``recipes`` builds what it describes), so that what is found can be kept as a
small file in ``cases`` and is run again by the ordinary suite. ``make fuzz SECONDS=600`` looks for new ones.
"""
