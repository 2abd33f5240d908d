-- How many queued jobs of its queue stand before one. Looks at a bounded number of elements; who
-- called goes on where it left off.
-- KEYS[1] -> the namespace's meta.
-- ARGV[1] -> the queue; ARGV[2] -> priority; ARGV[3] -> order; ARGV[4] -> count no further
-- ARGV[5] -> the list to begin with, '' for the first; ARGV[6] -> how many of its elements to skip
-- Returns the count, and the list and how many of its elements to skip next time; '' at the end.
local base, queue = string.sub(KEYS[1], 1, -5), ARGV[1]
local priority, order, most = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local first, skip = ARGV[5], tonumber(ARGV[6])
local sub, chunk, left = string.sub, 500, 2000

local function is_live(element)
  local job = redis.call('HMGET', base .. 'job:' .. sub(element, 1, 36), 'life', 'place')
  if not job[1] or sub(job[1], 1, 1) ~= '2' then return false end
  return sub(job[2], string.find(job[2], ' ', 1, true) + 1) == sub(element, 38)
end

local count = 0
-- Whether all that comes before the job has been counted; its own list ends at the job.
local function count_page(elements, rank)
  for _, element in ipairs(elements) do
    if rank == priority and tonumber(sub(element, 38)) >= order then return true end
    if is_live(element) then count = count + 1 end
  end
  return #elements < chunk
end

local names = redis.call('SMEMBERS', base .. 'lists:' .. queue)
table.sort(names)
for _, name in ipairs(names) do
  local rank = tonumber(sub(name, 1, 1))
  local at, done = name == first and skip or 0, rank > priority or name < first
  while not done and count < most do
    if left <= 0 then return {count, name, at} end
    local some = redis.call('LRANGE', base .. 'ready:' .. queue .. '/' .. name, at, at + chunk - 1)
    done = count_page(some, rank)
    at, left = at + #some, left - #some
  end
end
return {math.min(count, most), '', 0}
