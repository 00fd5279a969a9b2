"""Asking a model to label, from exactly the view its label owns."""
