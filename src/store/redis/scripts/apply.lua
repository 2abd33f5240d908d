-- Does what was decided, whole, if everything it was decided by is still so.
-- KEYS[1] -> the namespace's meta; every other key begins like it.
-- ARGV[1] -> packed: now or false, Redis's time as the caller carried it forward or false, by how
--            much that may be behind, when it was decided, before when it holds, version of the
--            configuration or false, guards, keys that must not exist, jobs and the version each
--            must have by turns, new jobs, lists that new jobs alone go to, changed jobs, how many
--            lines of a history are kept at its beginning and at its end, writes, pushes, how many
--            numbers are given out, jobs whose body and checkpoint are wanted when all is done
-- Returns 1, the payloads and bodies that were wanted, the number before the first that was given
--         out and the microseconds of Redis's own clock; or 0 and which guard was stale (0: the
--         time, -1: a job, -2: the time that was carried forward).
-- A guard is what a reading command must answer, and the command. The other lists are flat, since a
-- list of lists takes twice as long to unpack, and jobs come in runs that have much in common:
-- new:     how many, the first one's number and order (0: none), from which both go on by one
--          for each, which of the lists of new jobs they go to the end of (0: none), life, given,
--          how many words follow, further fields and values; of each job its id, which must not
--          exist, and its payload.
-- changed: how many, the version they must have, whether payloads are wanted, more lines of
--          history or '', number as text and new order (0: as it was), how many words follow,
--          further fields and values, how many moves follow, of each a sorted set and the score
--          they get there or false, 1 if they are claimed, -1 if they are no longer, else 0; of
--          each job its id, life and, unless that is 0, claim.
-- write:   how many words follow, a command. Less than none: a word may be a number n, which means
--          the n-th new number, or a list of parts to be put together.
-- push:    command, list, how many words follow, of each element the id and its order.
-- An order that is a number n is the n-th new number, or its opposite.
local request = cmsgpack.unpack(ARGV[1])
local now, carried, slack, decided, before, config, guards, absent, versions, made, lists, changed,
      head, tail, writes, pushes, numbers, bodies = unpack(request)
local call, format, concat, sub = redis.call, string.format, table.concat, string.sub
local base = sub(KEYS[1], 1, -5)

local clock = call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local meta = call('HMGET', KEYS[1], 'seq', 'at', 'config')
local at = tonumber(meta[2] or 0)
local is_given = now
now = now or clock[1] * 1000 + math.floor(clock[2] / 1000)
if carried then
  if carried > now or carried + slack < now then return {0, -2} end
  if at > decided + (is_given and 0 or slack) then return {0, -2} end
end
if math.max(now, decided) >= before then return {0, 0} end
if config and config ~= (meta[3] or '0') then return {0, 0} end

-- Text without lines between the first `head` and the newest `tail`.
local function kept(all, first, newest)
  -- A line has two characters at least; most texts are too short to be counted.
  if #all <= 2 * (first + newest) then return all end
  local _, count = string.gsub(all, '\n', '')
  local excess = count - first - newest
  if excess <= 0 then return all end
  local from = 1
  for _ = 1, first do from = string.find(all, '\n', from, true) + 1 end
  local to = from
  for _ = 1, excess do to = string.find(all, '\n', to, true) + 1 end
  return sub(all, 1, from - 1) .. sub(all, to)
end

-- A history may leave out its first lines, which count as kept.
local function kept_history(all)
  if #all <= 2 * (head + tail) then return all end
  local first = tonumber(string.match(all, '^%d+')) or 1
  return kept(all, math.max(head + 1 - first, 0), tail)
end

local function same(got, wanted)
  if type(got) == 'number' then got = format('%.0f', got) end
  if type(wanted) ~= 'table' or type(got) ~= 'table' then return got == wanted end
  if #got ~= #wanted then return false end
  for i = 1, #wanted do
    if got[i] ~= wanted[i] then return false end
  end
  return true
end

local job = base .. 'job:'
local others, i = #absent, 1
while i <= #made do
  local first = i + 7 + made[i + 6]
  i = first + 2 * made[i]
  for j = first, i - 2, 2 do absent[#absent + 1] = job .. made[j] end
end
for at = 1, #absent, 1000 do
  if call('EXISTS', unpack(absent, at, math.min(at + 999, #absent))) > 0 then return {0, -1} end
end
for at = 1, #versions, 2 do
  if call('HGET', versions[at], 'v') ~= versions[at + 1] then return {0, -1} end
end
-- Where a run's moves are, its jobs begin, how many items each has, and where the next run is.
local function measured(from)
  local moves = from + 7 + changed[from + 6]
  local first = moves + 2 + 2 * changed[moves]
  local width = changed[first - 1] == 0 and 2 or 3
  return moves, first, width, first + width * changed[from]
end
-- What is proved of a changed job, and what is wanted and needed of it, in one call.
local payloads, keys, histories = {}, {}, {}
i = 1
while i <= #changed do
  local version, wants, lines = changed[i + 1], changed[i + 2], changed[i + 3]
  local _, first, width, after = measured(i)
  for j = first, after - 1, width do
    local key, v, history = job .. changed[j], nil, nil
    if wants and lines == '' then
      local got = call('HMGET', key, 'v', 'payload')
      v, payloads[#payloads + 1] = got[1], got[2]
    elseif wants then
      local got = call('HMGET', key, 'v', 'history', 'payload')
      v, history, payloads[#payloads + 1] = got[1], got[2], got[3]
    elseif lines ~= '' then
      local got = call('HMGET', key, 'v', 'history')
      v, history = got[1], got[2]
    else
      v = call('HGET', key, 'v')
    end
    if v ~= version then return {0, -1} end
    local at_end = #keys + 1
    keys[at_end] = key
    histories[at_end] = lines ~= '' and kept_history((history or '') .. lines)
  end
  i = after
end
for at, guard in ipairs(guards) do
  if not same(call(unpack(guard, 2)), guard[1]) then return {0, at} end
end

local function read_bodies()
  local answers = {}
  for at, key in ipairs(bodies) do
    answers[at] = call('HMGET', key, 'payload', 'tags', 'metadata', 'request', 'trace',
                       'checkpoint')
  end
  return answers
end
if #made + #changed + #writes + #pushes == 0 then
  return {1, payloads, read_bodies(), 0, micros}
end

local seq = math.max(tonumber(meta[1] or 0), micros)
-- One more number than is given out: it marks what this run writes.
local mark = format('%.0f', seq + numbers + 1)
call('HSET', KEYS[1], 'seq', mark, 'at', format('%.0f', math.max(at, decided)))

local texts = {}
local function number(n)
  local text = texts[n]
  if not text then
    text = format('%.0f', seq + n)
    texts[n] = text
  end
  return text
end
local function order(n)
  if type(n) == 'string' then return n end
  if n == 0 then return '0' end
  return n < 0 and '-' .. number(-n) or number(n)
end

local special = {}

function special.lines(key, field, lines, head, tail)
  local all = (call('HGET', key, field) or '') .. lines
  call('HSET', key, field, kept(all, tonumber(head), tonumber(tail)))
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

-- As many at once as Lua's stack takes.
local function call_in_parts(command, key, words)
  for j = 1, #words, 2000 do
    call(command, key, unpack(words, j, math.min(j + 1999, #words)))
  end
end

-- Jobs of a run differ in place and payload alone. Redis copies the first one in less time than it
-- takes to say all its fields again, and its log grows less. A long payload is not copied.
local copied_max = 1024
local index, ends = {}, {}
for j = 1, #lists do ends[j] = {} end
i = 1
while i <= #made do
  local n, o, list = made[i + 1], made[i + 2], ends[made[i + 3]]
  local step = o > 0 and 1 or o < 0 and -1 or 0
  local life, given, words = made[i + 4], made[i + 5], made[i + 6]
  local first = i + 7 + words
  local after = first + 2 * made[i]
  local pattern
  for j = first, after - 2, 2 do
    local id, text = made[j], format('%.0f', seq + n)
    local place = o == n and text or order(o)
    n, o, others = n + 1, o + step, others + 1
    local key, payload = absent[others], made[j + 1]
    if pattern then
      call('COPY', pattern, key)
      call('HSET', key, 'place', text .. ' ' .. place, 'payload', payload)
    else
      call('HSET', key, 'v', mark, 'life', life, 'given', given, 'place', text .. ' ' .. place,
           'payload', payload, unpack(made, first - words, first - 1))
      if #payload <= copied_max then pattern = key end
    end
    index[#index + 1] = '0'
    index[#index + 1] = id
    if list then list[#list + 1] = id .. ':' .. place end
  end
  i = after
end
call_in_parts('ZADD', base .. 'jobs', index)

local additions, removals = {}, {}
local function words_of(all, set)
  local words = all[set]
  if not words then
    words = {}
    all[set] = words
  end
  return words
end
local function move(set, score, first, width, after)
  local words = words_of(score and additions or removals, set)
  local n = #words
  for j = first, after - 1, width do
    if score then
      n = n + 1
      words[n] = score
    end
    n = n + 1
    words[n] = changed[j]
  end
end
local function move_claims(is_claimed, first, after)
  local words = words_of(is_claimed and additions or removals, 'claims')
  for j = first, after - 1, 3 do
    if is_claimed then words[#words + 1] = '0' end
    words[#words + 1] = changed[j + 2] .. ':' .. changed[j]
  end
end
local done = 0
i = 1
while i <= #changed do
  local moves, first, width, after = measured(i)
  local new_order = changed[i + 5]
  for j = first, after - 1, width do
    done = done + 1
    local key = keys[done]
    if histories[done] then
      call('HSET', key, 'v', mark, 'life', changed[j + 1], 'history', histories[done],
           unpack(changed, i + 7, moves - 1))
    else
      call('HSET', key, 'v', mark, 'life', changed[j + 1], unpack(changed, i + 7, moves - 1))
    end
    if new_order ~= 0 then
      call('HSET', key, 'place', changed[i + 4] .. ' ' .. order(new_order))
    end
  end
  for j = moves + 1, first - 2, 2 do move(changed[j], changed[j + 1], first, width, after) end
  if width == 3 then move_claims(changed[first - 1] > 0, first, after) end
  i = after
end
for set, words in pairs(additions) do call_in_parts('ZADD', base .. set, words) end
for set, words in pairs(removals) do call_in_parts('ZREM', base .. set, words) end

local function composed(part)
  if type(part) == 'number' then return number(part) end
  if type(part) == 'string' then return part end
  local parts = {}
  for j = 1, #part do parts[j] = composed(part[j]) end
  return concat(parts)
end
i = 1
while i <= #writes do
  local words = writes[i]
  if words > 0 then
    call(unpack(writes, i + 1, i + words))
  else
    words = -words
    for j = i + 1, i + words do writes[j] = composed(writes[j]) end
    local act = special[writes[i + 1]]
    if act then
      act(unpack(writes, i + 2, i + words))
    else
      call(unpack(writes, i + 1, i + words))
    end
  end
  i = i + 1 + words
end

for j = 1, #lists do call_in_parts('RPUSH', lists[j], ends[j]) end
i = 1
while i <= #pushes do
  local words, elements = pushes[i + 2], {}
  for j = i + 3, i + 2 + words, 2 do
    elements[#elements + 1] = pushes[j] .. ':' .. order(pushes[j + 1])
  end
  call(pushes[i], pushes[i + 1], unpack(elements))
  i = i + 3 + words
end
return {1, payloads, read_bodies(), seq, micros}
