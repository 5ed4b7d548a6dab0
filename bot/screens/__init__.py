"""What people see, as values: pure functions that turn states and events into screens of message keys."""
