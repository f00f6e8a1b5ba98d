"""What the formulas say of a pair of queues, before it is simulated."""
