-- A dead job that was canceled or expired is no dead letter: it counts as canceled.
UPDATE lane SET dead = dead - withdrawn, canceled = canceled + withdrawn
FROM (SELECT lane AS counting, count(*) AS withdrawn FROM done WHERE state = 7 AND flags & 2
      GROUP BY lane)
WHERE lane.id = counting;
