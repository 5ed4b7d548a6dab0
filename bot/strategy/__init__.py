"""AI players, odds and reviews. Pure: no Discord, no database, no clock."""
