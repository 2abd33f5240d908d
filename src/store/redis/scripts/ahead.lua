-- How many queued jobs of its queue stand before one.
-- KEYS[1] -> the namespace's meta.
-- ARGV[1] -> the queue; ARGV[2] -> priority; ARGV[3] -> order; ARGV[4] -> count no further
local base, queue = string.sub(KEYS[1], 1, -5), ARGV[1]
local priority, order, most = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local sub, chunk = string.sub, 500

local function is_live(element)
  local job = redis.call('HMGET', base .. 'job:' .. sub(element, 1, 36), 'life', 'place')
  if not job[1] or sub(job[1], 1, 1) ~= '2' then return false end
  return sub(job[2], string.find(job[2], ' ', 1, true) + 1) == sub(element, 38)
end

local count = 0
for _, name in ipairs(redis.call('SMEMBERS', base .. 'lists:' .. queue)) do
  local rank = tonumber(sub(name, 1, 1))
  local list, at, done = base .. 'ready:' .. queue .. '/' .. name, 0, rank > priority
  while not done and count < most do
    local some = redis.call('LRANGE', list, at, at + chunk - 1)
    for _, element in ipairs(some) do
      if rank == priority and tonumber(sub(element, 38)) >= order then
        done = true
        break
      end
      if is_live(element) then count = count + 1 end
    end
    at = at + #some
    if #some < chunk then done = true end
  end
end
return math.min(count, most)
