-- Which group a counted failure belongs to, so that the jobs of a group are found; NULL for what
-- failed before. Groups have no index of their last failure: each failure would have to write it,
-- and there are few of them to look through.
ALTER TABLE @failure ADD COLUMN fingerprint bigint;
CREATE INDEX failure_group ON @failure(fingerprint, id) WHERE fingerprint IS NOT NULL;
CREATE INDEX audit_at ON @audit(at);
