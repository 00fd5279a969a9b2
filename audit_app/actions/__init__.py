"""The use cases. Command line, JSON routes and screens all call these, so a script can do what the browser does."""
