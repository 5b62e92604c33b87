"""Which design and which method answer the question that is asked."""
