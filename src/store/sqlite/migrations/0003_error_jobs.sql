-- Which group a counted failure belongs to, so that the jobs of a group are found; NULL for what
-- failed before. And what is old among that which is kept only for a time.
ALTER TABLE failure ADD COLUMN fingerprint INTEGER;
CREATE INDEX failure_group ON failure(fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX error_group_last ON error_group(last_at);
CREATE INDEX audit_at ON audit(at);
