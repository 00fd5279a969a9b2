"""The screens: each draws one page and calls the actions for everything else."""
