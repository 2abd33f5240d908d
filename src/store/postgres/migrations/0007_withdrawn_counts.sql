-- A dead job that was canceled or expired is no dead letter: it counts as canceled.
INSERT INTO @tally AS known
SELECT 0, ns, queue, 0, 0, 0, 0, 0, 0, 0, -count(*), count(*) FROM @done
WHERE state = 7 AND coalesce(@course_number(course, 6), 0) & 2 <> 0 GROUP BY ns, queue
ON CONFLICT (ns, queue, slot) DO UPDATE
SET dead = known.dead + excluded.dead, canceled = known.canceled + excluded.canceled;
