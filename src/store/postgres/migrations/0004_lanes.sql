-- A queue's jobs of one type in the order of their claims, so that a claim of some types, or one
-- that must leave out a type at its limit, reads no job that it cannot take. The expression is one
-- that no other index offers: whatever the statistics say of a young table, there is no other plan.
CREATE INDEX ready_lane ON @ready(
  (ns || '\x00'::bytea || queue || '\x00'::bytea || type), priority, ord);
