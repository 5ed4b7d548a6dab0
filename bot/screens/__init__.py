"""What people see, as values: pure functions from states and events to screens of message keys."""
