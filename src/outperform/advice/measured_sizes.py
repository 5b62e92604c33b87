"""Sizes of tests on the cases of docs/calibration.md, whose tool writes this file."""

SIZES = {
    "calibrated_t 5x5cv+20halves": (59, 2.7, 6.5),
    "calibrated_t 10x5cv+40halves": (59, 3.1, 6.0),
    "calibrated_t strict 5x5cv+20halves": (59, 2.0, 6.0),
    "calibrated_t strict 10x5cv+40halves": (59, 1.9, 5.5),
    "half_sample_t 5x5cv+20halves": (59, 2.6, 8.5),
    "half_sample_t 10x5cv+40halves": (59, 2.5, 6.5),
    "corrected_t 10x10cv": (59, 7.5, 24.8),
    "corrected_t 30xresampled@1/3": (59, 4.0, 20.5),
    "corrected_t 10cv": (59, 2.5, 12.7),
    "conservative_z 10x15halves@1/10": (44, 3.0, 9.5),
    "averaged_t 10*10cv": (44, 7.8, 26.0),
    "five_by_two_t 5x2cv": (59, 8.0, 38.5),
    "five_by_two_f 5x2cv": (59, 8.9, 58.5),
    "kfold_t 10cv": (59, 10.5, 27.7),
    "single_fold_t 10cv": (59, 2.9, 6.0),
    "repeated_kfold_t 10x10cv": (59, 60.0, 73.5),
    "resampled_t 30xresampled@1/3": (59, 59.7, 75.5),
    "mcnemar holdout@1/3": (39, 3.0, 8.0),
    "mcnemar mid-p holdout@1/3": (39, 5.4, 10.5),
    "proportions holdout@1/3": (39, 5.4, 11.0),
    "paired_t holdout@1/3": (56, 6.0, 19.5),
}
"""By test: cases, and the median and the largest size at 5 %, in %."""
