-- How many jobs are counted, and how many stand in the lists, as of one moment. Changes nothing.
-- KEYS[1] -> the namespace's meta.
-- Returns counts; elements that are nobody's; how many dead letters; of each ready list of a queue
--         that counts its name (QUEUE/PRIORITY/TYPE) and its length, one after the other.
local base, call = string.sub(KEYS[1], 1, -5), redis.call
local counts, lists = call('HGETALL', base .. 'counts'), {}
for i = 1, #counts, 2 do
  local queue = string.match(counts[i], '^q/(.*)/2$')
  for _, name in ipairs(queue and call('SMEMBERS', base .. 'lists:' .. queue) or {}) do
    local list = queue .. '/' .. name
    lists[#lists + 1] = list
    lists[#lists + 1] = call('LLEN', base .. 'ready:' .. list)
  end
end
return {counts, call('HGETALL', base .. 'stale'), call('LLEN', base .. 'dead'), lists}
