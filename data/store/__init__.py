"""study.db: what people did. Every module here is one noun of it; nobody else speaks SQLite."""
