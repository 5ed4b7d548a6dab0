"""The screens of Gambler."""
