"""How well raters agree: with each other, and a judge with people."""
