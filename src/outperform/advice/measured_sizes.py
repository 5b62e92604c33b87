"""Sizes of tests on the cases of docs/calibration.md, whose tool writes this file."""

SIZES = {
    "calibrated_t 5x5cv+20halves": (34, 3, 6),
    "calibrated_t 10x5cv+40halves": (34, 3, 8),
    "calibrated_t strict 5x5cv+20halves": (34, 3, 6),
    "calibrated_t strict 10x5cv+40halves": (34, 2, 6),
    "half_sample_t 5x5cv+20halves": (34, 3, 8),
    "half_sample_t 10x5cv+40halves": (34, 3, 6),
    "corrected_t 10x10cv": (34, 8, 25),
    "corrected_t 30xresampled@1/3": (34, 5, 20),
    "corrected_t 10cv": (34, 2, 13),
    "conservative_z 10x15halves@1/10": (34, 3, 7),
    "averaged_t 10*10cv": (34, 8, 25),
    "five_by_two_t 5x2cv": (34, 9, 38),
    "five_by_two_f 5x2cv": (34, 10, 58),
    "kfold_t 10cv": (34, 10, 28),
    "single_fold_t 10cv": (34, 3, 6),
    "repeated_kfold_t 10x10cv": (34, 62, 73),
    "resampled_t 30xresampled@1/3": (34, 62, 76),
    "mcnemar holdout@1/3": (23, 3, 7),
    "mcnemar mid-p holdout@1/3": (23, 5, 9),
    "proportions holdout@1/3": (23, 5, 9),
    "paired_t holdout@1/3": (32, 6, 10),
}
"""By test: cases, and the median and the largest size at 5 %, in %."""
