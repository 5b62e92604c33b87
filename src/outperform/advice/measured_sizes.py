"""Sizes of tests on the cases of docs/calibration.md, whose tool writes this file."""

SIZES = {
    "calibrated_t 5x5cv+20halves": (75, 2.7, 12.8),
    "calibrated_t 10x5cv+40halves": (75, 3.2, 15.8),
    "calibrated_t strict 5x5cv+20halves": (75, 2.1, 10.8),
    "calibrated_t strict 10x5cv+40halves": (75, 1.9, 11.7),
    "half_sample_t 5x5cv+20halves": (75, 2.5, 5.5),
    "half_sample_t 10x5cv+40halves": (75, 2.7, 6.3),
    "corrected_t 10x10cv": (75, 7.1, 33.6),
    "corrected_t 30xresampled@1/3": (75, 4.2, 14.8),
    "corrected_t 10cv": (75, 3.0, 19.2),
    "conservative_z 10x15halves@1/10": (52, 3.0, 10.1),
    "averaged_t 10*10cv": (52, 7.5, 25.8),
    "five_by_two_t 5x2cv": (75, 8.3, 40.8),
    "five_by_two_f 5x2cv": (75, 9.0, 63.2),
    "kfold_t 10cv": (75, 11.1, 36.9),
    "single_fold_t 10cv": (75, 2.7, 6.2),
    "repeated_kfold_t 10x10cv": (75, 60.1, 75.0),
    "resampled_t 30xresampled@1/3": (75, 59.3, 73.3),
    "mcnemar holdout@1/3": (51, 3.6, 14.6),
    "mcnemar mid-p holdout@1/3": (51, 5.4, 15.9),
    "proportions holdout@1/3": (51, 5.2, 13.6),
    "paired_t holdout@1/3": (72, 5.9, 20.3),
    "quasi_f 8disjoint@50/test200": (20, 3.2, 4.8),
}
"""By test: cases, and the median and the largest size at 5 %, in %."""
