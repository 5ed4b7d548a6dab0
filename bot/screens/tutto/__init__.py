"""The screens of Tutto."""
