"""Texts in the players' languages: what is said (:mod:`say`) and how it reads (:mod:`catalogue`)."""
