"""Screens that look for the reference answer in passages: plain texts in, hits with offsets and reasons out."""
