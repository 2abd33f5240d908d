-- Does what was decided, whole, if everything it was decided by is still so.
-- KEYS[1] -> the namespace's meta.
-- ARGV[1] -> packed: now or false, when it was decided, before when it holds, guards, keys that
--            must not exist, jobs and the version each must have ('' if none) by turns, writes, how
--            many numbers the writes give out, jobs whose body and checkpoint are wanted
-- Returns 1 and those, or 0 and which guard was stale (0: the time, -1: a job).
-- A guard is what a reading command must answer, and the command. A write is a command; an argument
-- that is a number n means the n-th new number, one that is a list is its parts put together.
local request = cmsgpack.unpack(ARGV[1])
local now, decided, before, guards, absent, versions, writes, numbers, bodies = unpack(request)
local call, format, concat, sub = redis.call, string.format, table.concat, string.sub

local clock = call('TIME')
now = math.max(now or clock[1] * 1000 + math.floor(clock[2] / 1000), decided)
if now >= before then return {0, 0} end

local function same(got, wanted)
  if type(got) == 'number' then got = format('%.0f', got) end
  if type(wanted) ~= 'table' or type(got) ~= 'table' then return got == wanted end
  if #got ~= #wanted then return false end
  for i = 1, #wanted do
    if got[i] ~= wanted[i] then return false end
  end
  return true
end
for i = 1, #absent, 1000 do
  if call('EXISTS', unpack(absent, i, math.min(i + 999, #absent))) > 0 then return {0, -1} end
end
for i = 1, #versions, 2 do
  if (call('HGET', versions[i], 'v') or '') ~= versions[i + 1] then return {0, -1} end
end
for i, guard in ipairs(guards) do
  if not same(call(unpack(guard, 2)), guard[1]) then return {0, i} end
end

local function read_bodies()
  local answers = {}
  for i, key in ipairs(bodies) do
    answers[i] = call('HMGET', key, 'payload', 'tags', 'metadata', 'request', 'trace', 'checkpoint')
  end
  return {1, answers}
end
if #writes == 0 then return read_bodies() end

local meta = call('HMGET', KEYS[1], 'seq', 'at')
local seq = math.max(tonumber(meta[1] or 0), clock[1] * 1000000 + clock[2])
local at = math.max(tonumber(meta[2] or 0), decided)
call('HSET', KEYS[1], 'seq', format('%.0f', seq + numbers), 'at', format('%.0f', at))

local function text(part)
  if type(part) == 'number' then return format('%.0f', seq + part) end
  if type(part) == 'string' then return part end
  local parts = {}
  for i = 1, #part do parts[i] = text(part[i]) end
  return concat(parts)
end

-- A field with more lines, of which the first `head` and the newest `tail` are kept.
local function appended(key, field, lines, head, tail)
  local all = (call('HGET', key, field) or '') .. lines
  head, tail = tonumber(head), tonumber(tail)
  -- A line has two characters at least; most fields are too short to be counted.
  if #all <= 2 * (head + tail) then return all end
  local _, count = string.gsub(all, '\n', '')
  local excess = count - head - tail
  if excess <= 0 then return all end
  local from = 1
  for _ = 1, head do from = string.find(all, '\n', from, true) + 1 end
  local to = from
  for _ = 1, excess do to = string.find(all, '\n', to, true) + 1 end
  return sub(all, 1, from - 1) .. sub(all, to)
end

local special = {}

function special.lines(key, field, lines, head, tail)
  call('HSET', key, field, appended(key, field, lines, head, tail))
end

-- Fields of a job, and more lines of its history.
function special.job(key, lines, head, tail, ...)
  call('HSET', key, 'history', appended(key, 'history', lines, head, tail), ...)
end

-- Appends to an attempt's log unless `by` did so last; keeps its end, never half a character.
function special.log(key, attempt, more, by, most)
  if by ~= '' and call('HGET', key, 'by:' .. attempt) == by then return end
  local all = (call('HGET', key, 'log:' .. attempt) or '') .. more
  most = tonumber(most)
  if #all > most then
    local from = #all - most + 1
    while from <= #all and math.floor(string.byte(all, from) / 64) == 2 do from = from + 1 end
    all = sub(all, from)
  end
  call('HSET', key, 'log:' .. attempt, all)
  if by == '' then
    call('HDEL', key, 'by:' .. attempt)
  else
    call('HSET', key, 'by:' .. attempt, by)
  end
end

-- An empty list is not looked into any more.
function special.tidy(list, index, name)
  if call('EXISTS', list) == 0 then call('SREM', index, name) end
end

-- Notes what a finished job takes, and what all of them take.
function special.weigh(key)
  local was = tonumber(call('HGET', key, 'size') or 0)
  local is = call('MEMORY', 'USAGE', key, 'SAMPLES', '0')
  call('HSET', key, 'size', format('%.0f', is))
  call('HINCRBY', KEYS[1], 'kept', format('%.0f', is - was))
end
function special.unweigh(key)
  local was = call('HGET', key, 'size')
  if not was then return end
  call('HDEL', key, 'size')
  call('HINCRBY', KEYS[1], 'kept', '-' .. was)
end

for _, write in ipairs(writes) do
  for i = 2, #write do
    if type(write[i]) ~= 'string' then write[i] = text(write[i]) end
  end
  local act = special[write[1]]
  if act then
    act(unpack(write, 2))
  else
    call(unpack(write))
  end
end
return read_bodies()
