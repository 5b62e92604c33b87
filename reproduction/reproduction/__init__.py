"""Every table and figure of the five papers as an exhibit that can be run again.

An exhibit says what the paper did, what it printed, how to do it with the public functions of
outperform, and what must agree. `exhibits.exhibits()` lists them, `running.reproduce` runs them,
and what they found stands in docs/reproduction.md.
"""
