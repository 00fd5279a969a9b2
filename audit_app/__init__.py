"""What people touch: the use cases, the command line, the JSON routes, the app and its screens."""
