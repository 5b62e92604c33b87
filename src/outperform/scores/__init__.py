"""What was measured: on splits and, where they were kept, on items."""
