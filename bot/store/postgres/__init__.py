"""The store on PostgreSQL, for several processes on one database."""
