"""One file per named procedure of a paper: tests of two learners, of families, of partitions."""
