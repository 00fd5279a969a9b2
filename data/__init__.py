"""What a record is, how it comes in, and where it is kept."""
