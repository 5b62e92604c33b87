"""What users call, one file each."""
