"""What is reported, and how human labels on a probability sample correct it."""
