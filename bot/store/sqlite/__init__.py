"""The store on SQLite, for a single process."""
