"""Texts in the players' languages: messages (:mod:`say`), and the catalogues that turn them into text."""
