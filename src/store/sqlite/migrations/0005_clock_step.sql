-- What the clock said after it last stepped forward; NULL: never. Pruning waits a day from there.
ALTER TABLE store ADD COLUMN stepped_at INTEGER;
