"""What is concluded: evidence, results, verdicts, comparisons and what they rest on."""
