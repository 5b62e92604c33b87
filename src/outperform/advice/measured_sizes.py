"""Sizes of tests on the cases of docs/calibration.md, whose tool writes this file."""

SIZES = {
    "calibrated_t 5x5cv+20halves": (85, 2.8, 12.8),
    "calibrated_t 10x5cv+40halves": (85, 3.3, 15.8),
    "calibrated_t strict 5x5cv+20halves": (85, 2.2, 10.8),
    "calibrated_t strict 10x5cv+40halves": (85, 1.9, 11.7),
    "half_sample_t 5x5cv+20halves": (85, 2.5, 6.0),
    "half_sample_t 10x5cv+40halves": (85, 3.0, 6.3),
    "corrected_t 10x10cv": (85, 7.0, 33.6),
    "corrected_t 30xresampled@1/3": (85, 4.2, 14.8),
    "corrected_t 10cv": (85, 2.9, 19.2),
    "conservative_z 10x15halves@1/10": (62, 2.9, 10.1),
    "averaged_t 10*10cv": (62, 7.3, 25.8),
    "five_by_two_t 5x2cv": (85, 8.3, 40.8),
    "five_by_two_f 5x2cv": (85, 9.0, 63.2),
    "kfold_t 10cv": (85, 10.8, 36.9),
    "single_fold_t 10cv": (85, 2.7, 6.2),
    "repeated_kfold_t 10x10cv": (85, 59.9, 75.0),
    "resampled_t 30xresampled@1/3": (85, 59.3, 73.3),
    "mcnemar holdout@1/3": (52, 3.6, 14.6),
    "mcnemar mid-p holdout@1/3": (52, 5.4, 15.9),
    "proportions holdout@1/3": (52, 5.2, 13.6),
    "paired_t holdout@1/3": (79, 5.9, 20.3),
    "quasi_f 8disjoint@50/test200": (24, 3.4, 4.8),
}
"""By test: cases, and the median and the largest size at 5 %, in %."""
