"""What every layer may say and ask: words, warnings, checks of input, rows in one order."""
