"""Results of several worlds on one scenario: how far they are apart, and which known difference explains it."""
