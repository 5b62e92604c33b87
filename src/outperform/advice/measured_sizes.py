"""Sizes of tests on the cases of docs/calibration.md, whose tool writes this file."""

SIZES = {
    "calibrated_t 5x5cv+20halves": (75, 2.9, 13.5),
    "calibrated_t 10x5cv+40halves": (75, 3.2, 18.5),
    "calibrated_t strict 5x5cv+20halves": (75, 2.0, 11.5),
    "calibrated_t strict 10x5cv+40halves": (75, 1.7, 14.5),
    "half_sample_t 5x5cv+20halves": (75, 2.5, 8.5),
    "half_sample_t 10x5cv+40halves": (75, 2.5, 6.5),
    "corrected_t 10x10cv": (75, 7.5, 34.0),
    "corrected_t 30xresampled@1/3": (75, 4.0, 20.5),
    "corrected_t 10cv": (75, 3.0, 19.5),
    "conservative_z 10x15halves@1/10": (52, 3.0, 9.5),
    "averaged_t 10*10cv": (52, 7.5, 26.0),
    "five_by_two_t 5x2cv": (75, 8.4, 38.5),
    "five_by_two_f 5x2cv": (75, 8.5, 58.5),
    "kfold_t 10cv": (75, 10.6, 36.0),
    "single_fold_t 10cv": (75, 2.9, 6.0),
    "repeated_kfold_t 10x10cv": (75, 60.0, 79.0),
    "resampled_t 30xresampled@1/3": (75, 60.0, 75.5),
    "mcnemar holdout@1/3": (51, 3.5, 16.5),
    "mcnemar mid-p holdout@1/3": (51, 5.5, 17.0),
    "proportions holdout@1/3": (51, 5.5, 14.5),
    "paired_t holdout@1/3": (72, 6.0, 19.5),
    "quasi_f 8disjoint@50/test200": (20, 2.8, 5.0),
}
"""By test: cases, and the median and the largest size at 5 %, in %."""
