"""Which items a person should look at: permanent numbers, strata, allocation, draws, and the variance they imply."""
