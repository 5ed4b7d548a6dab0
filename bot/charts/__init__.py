"""Charts as PNG images: :mod:`canvas` draws, :mod:`lines` is a line per seat, and one module per chart."""
