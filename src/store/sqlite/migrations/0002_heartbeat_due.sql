-- When the owner of a running job has been silent for too long; NULL until its first heartbeat.
ALTER TABLE live ADD COLUMN heartbeat_due_at INTEGER;
ALTER TABLE done ADD COLUMN heartbeat_due_at INTEGER;
