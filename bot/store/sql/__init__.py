"""What both databases share: the queries, and what runs them."""
