"""The public benchmark of tests: how often each rejects a true null hypothesis.

Learners are trained on all splits of many datasets at once (`batch_*`), so that thousands of
experiments take seconds. `cases` lists what is measured, `runs` measures it block by block, and
`counts` keeps the sums; what they show stands in docs/calibration.md.
"""
