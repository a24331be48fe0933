"""What a decision says: tables, sentences, files."""
