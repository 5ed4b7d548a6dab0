"""Charts as PNG images. Pillow is imported when the first one is drawn."""
