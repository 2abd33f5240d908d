-- What the clock said when a node saw it step forward; NULL: never. Pruning waits a day from then.
ALTER TABLE @store ADD COLUMN stepped_at bigint;
