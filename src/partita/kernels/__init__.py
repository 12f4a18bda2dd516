"""Every compiled loop. Serial, without the GIL, on one block of rows; each module is imported late."""
