-- What a batch of commands has to know of one namespace, as of one moment. Changes nothing.
-- KEYS[1] -> the namespace's meta; every other key begins like it.
-- ARGV[1] -> packed: now or false, the configuration that the caller knows, ids, idempotency keys,
--            job keys, claims, wishes of (queue, types or false, first priority, limit, whether
--            the elements are enough), whether counts are wanted, limited types and how many
--            running jobs make each of them full, by turns
-- Returns now, the last number given out, configuration, its rules and pauses unless known, jobs of
--         (version, given, life, place, id), then one answer for each key, claim and wish, counts,
--         and the microseconds of Redis's own clock.
-- However many elements of the lists are stale, one run looks at a bounded number of them.
local request = cmsgpack.unpack(ARGV[1])
local given_now, known, ids, once, keys, claims, wishes, wants_counts, limits = unpack(request)
local base = string.sub(KEYS[1], 1, -5)
local call, sub, byte, find = redis.call, string.sub, string.byte, string.find
local queued = byte('2')
local chunk = 32
local stale_max = 2000  -- stale elements that all wishes together may look at
local share_min = 16    -- what a wish may look at in any case

local clock = call('TIME')
local meta = call('HMGET', KEYS[1], 'seq', 'at', 'config')
local now = given_now or clock[1] * 1000 + math.floor(clock[2] / 1000)
now = math.max(now, tonumber(meta[2] or 0))
local seq = math.max(tonumber(meta[1] or 0), clock[1] * 1000000 + clock[2])

local jobs, seen = {}, {}
local function read(id)
  local job = call('HMGET', base .. 'job:' .. id, 'v', 'given', 'life', 'place')
  return job[1] and job
end
local function keep(id, job)
  seen[id] = job
  if not job then return end
  job[5] = id
  jobs[#jobs + 1] = job
end
local function load(id)
  if seen[id] == nil then keep(id, read(id)) end
end

for _, id in ipairs(ids) do load(id) end

local bound = {}
for i, name in ipairs(once) do
  local value = call('GET', base .. 'once:' .. name)
  bound[i] = value
  if value then load(sub(value, 1, 36)) end
end

local holders = {}
for i, name in ipairs(keys) do
  local latest = call('ZREVRANGE', base .. 'key:' .. name, 0, 1, 'WITHSCORES')
  holders[i] = latest
  for at = 1, #latest, 2 do load(latest[at]) end
end

local held = {}
for i, claim in ipairs(claims) do
  held[i] = call('ZRANGEBYLEX', base .. 'claims', '[' .. claim .. ':', '[' .. claim .. ';')
  for _, member in ipairs(held[i]) do load(sub(member, 34)) end
end

-- An element is id:order. It is live while its job is queued with that order, and once it is stale
-- it stays so: a job that is queued again gets another order. The jobs of stale elements are not
-- answered.
local function is_live(element)
  local id = sub(element, 1, 36)
  local job = seen[id]
  if job == nil then job = read(id) end
  if not job or byte(job[3], 1) ~= queued then return false end
  if sub(job[4], find(job[4], ' ', 1, true) + 1) ~= sub(element, 38) then return false end
  if seen[id] == nil then keep(id, job) end
  return true
end

local budget = stale_max
local left  -- stale elements that the wish in hand may still look at

-- Steps to the list's next live element; cursor.order is false at the end, and where the budget
-- ends.
local function advance(cursor)
  while left > 0 do
    cursor.at = cursor.at + 1
    if cursor.at > #cursor.elements then
      local some = call('LRANGE', cursor.list, #cursor.elements, #cursor.elements + chunk - 1)
      if #some == 0 then
        cursor.order = false
        return
      end
      for _, element in ipairs(some) do cursor.elements[#cursor.elements + 1] = element end
    end
    local element = cursor.elements[cursor.at]
    if is_live(element) then
      cursor.order = tonumber(sub(element, 38))
      return
    end
    cursor.stale[cursor.at] = true
    left = left - 1
  end
  cursor.order, cursor.cut = false, true
end

-- Of each list no more elements than were looked at: (name, 1 if it may have more, elements, which
-- of them are stale or '').
local function shown(cursor)
  local elements, marks = {}, {}
  local any_stale = next(cursor.stale) ~= nil
  for i = 1, math.min(cursor.at, #cursor.elements) do
    elements[i] = cursor.elements[i]
    if any_stale then marks[i] = cursor.stale[i] and '1' or '0' end
  end
  return {cursor.name, (cursor.order or cursor.cut) and 1 or 0, elements, table.concat(marks)}
end

-- The first `limit` jobs of the lists of one priority, in the order of becoming eligible. Ends
-- where the budget does: what is behind that is not known.
local function take(cursors, limit)
  local taken = 0
  while taken < limit do
    local first
    for _, cursor in ipairs(cursors) do
      if cursor.cut then return taken, true end
      if cursor.order and (not first or cursor.order < first.order) then first = cursor end
    end
    if not first then break end
    taken = taken + 1
    advance(first)
  end
  return taken, false
end

-- The elements of the only list of a priority, without a look at their jobs.
local function bare(cursor, limit)
  local elements = call('LRANGE', cursor.list, 0, limit)
  cursor.order = #elements > limit
  cursor.at = math.min(#elements, limit)
  cursor.elements = elements
  return cursor.at
end

local most_running, full = {}, {}
for i = 1, #limits, 2 do most_running[limits[i]] = limits[i + 1] end
local function is_full(type_name)
  local most = most_running[type_name]
  if most and full[type_name] == nil then
    local running = tonumber(call('HGET', base .. 'counts', 't/' .. type_name) or 0)
    full[type_name] = running >= most
  end
  return most and full[type_name]
end

-- The lists of a queue by priority, and rows for those that nothing may be taken from: 2 says so.
local function lists_of(queue, types, from)
  local wanted
  if types then
    wanted = {}
    for _, name in ipairs(types) do wanted[name] = true end
  end
  local groups, rows = {}, {}
  for _, name in ipairs(call('SMEMBERS', base .. 'lists:' .. queue)) do
    local priority, type_name = tonumber(sub(name, 1, 1)), sub(name, 3)
    if priority >= from and (not wanted or wanted[type_name]) then
      if is_full(type_name) then
        rows[#rows + 1] = {name, 2, {}, ''}
      else
        groups[priority] = groups[priority] or {}
        table.insert(groups[priority], name)
      end
    end
  end
  return groups, rows
end

-- Answers whether there are no lists but these, rows, and whether the budget ended the look.
local function ready(queue, types, from, limit, is_bare)
  local groups, rows = lists_of(queue, types, from)
  local complete, cut = 1, false
  for priority = 0, 9 do
    if groups[priority] then
      if limit <= 0 or cut then
        complete = 0
        break
      end
      local cursors = {}
      table.sort(groups[priority])
      for i, name in ipairs(groups[priority]) do
        cursors[i] = {name = name, list = base .. 'ready:' .. queue .. '/' .. name, elements = {},
                      stale = {}, at = 0, order = false, cut = false}
      end
      if is_bare and #cursors == 1 then
        limit = limit - bare(cursors[1], limit)
      else
        for _, cursor in ipairs(cursors) do advance(cursor) end
        local taken
        taken, cut = take(cursors, limit)
        limit = limit - taken
      end
      for _, cursor in ipairs(cursors) do rows[#rows + 1] = shown(cursor) end
    end
  end
  return {complete, rows, cut and 1 or 0}
end

-- What one wish does not use of its share is left for the others.
local heads = {}
for i, wish in ipairs(wishes) do
  local share = math.max(math.ceil(budget / (#wishes - i + 1)), share_min)
  left = share
  heads[i] = ready(unpack(wish))
  budget = math.max(budget - (share - left), 0)
end

local config = meta[3] or '0'
local rules = false
if config ~= known then rules = call('HMGET', KEYS[1], 'rules', 'pauses') end
local counts = wants_counts and call('HGETALL', base .. 'counts') or {}

return {now, seq, config, rules, jobs, bound, holders, held, heads, counts,
        clock[1] * 1000000 + clock[2]}
