"""Charts as PNG images: a module per chart, on top of :mod:`lines` (one line per seat) and :mod:`canvas`."""
