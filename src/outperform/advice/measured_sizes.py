"""Sizes of tests on the cases of docs/calibration.md, whose tool writes this file."""

SIZES = {
    "calibrated_t 5x5cv+20halves": (59, 3, 6),
    "calibrated_t 10x5cv+40halves": (59, 3, 6),
    "calibrated_t strict 5x5cv+20halves": (59, 2, 6),
    "calibrated_t strict 10x5cv+40halves": (59, 2, 6),
    "half_sample_t 5x5cv+20halves": (59, 3, 8),
    "half_sample_t 10x5cv+40halves": (59, 2, 6),
    "corrected_t 10x10cv": (59, 8, 25),
    "corrected_t 30xresampled@1/3": (59, 4, 20),
    "corrected_t 10cv": (59, 2, 13),
    "conservative_z 10x15halves@1/10": (44, 3, 10),
    "averaged_t 10*10cv": (44, 8, 26),
    "five_by_two_t 5x2cv": (59, 8, 38),
    "five_by_two_f 5x2cv": (59, 9, 58),
    "kfold_t 10cv": (59, 10, 28),
    "single_fold_t 10cv": (59, 3, 6),
    "repeated_kfold_t 10x10cv": (59, 60, 74),
    "resampled_t 30xresampled@1/3": (59, 60, 76),
    "mcnemar holdout@1/3": (39, 3, 8),
    "mcnemar mid-p holdout@1/3": (39, 5, 10),
    "proportions holdout@1/3": (39, 5, 11),
    "paired_t holdout@1/3": (56, 6, 20),
}
"""By test: cases, and the median and the largest size at 5 %, in %."""
