-- What a batch of commands has to know of one namespace, as of one moment. Changes nothing.
-- KEYS[1] -> the namespace's meta; every other key begins like it.
-- ARGV[1] -> packed: now or false, the configuration that the caller knows, ids, idempotency keys,
--            job keys, claims, wishes of (queue, types or false, limit, whether the elements are
--            enough), whether counts are wanted
-- Returns now, the last number given out, configuration, its rules and pauses unless known, jobs of
--         (version, given, life, place, id), then one answer for each key, claim and wish, counts,
--         and the microseconds of Redis's own clock.
local request = cmsgpack.unpack(ARGV[1])
local given_now, known, ids, once, keys, claims, wishes, wants_counts = unpack(request)
local base = string.sub(KEYS[1], 1, -5)
local call, sub, byte, find = redis.call, string.sub, string.byte, string.find
local queued = byte('2')
local chunk = 32

local clock = call('TIME')
local meta = call('HMGET', KEYS[1], 'seq', 'at', 'config')
local now = given_now or clock[1] * 1000 + math.floor(clock[2] / 1000)
now = math.max(now, tonumber(meta[2] or 0))
local seq = math.max(tonumber(meta[1] or 0), clock[1] * 1000000 + clock[2])

local jobs, seen = {}, {}
local function load(id)
  local job = seen[id]
  if job ~= nil then return job end
  job = call('HMGET', base .. 'job:' .. id, 'v', 'given', 'life', 'place')
  if not job[1] then
    seen[id] = false
    return false
  end
  job[5] = id
  seen[id] = job
  jobs[#jobs + 1] = job
  return job
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

-- An element is id:order. It is live while its job is queued with that order.
local function is_live(element)
  local job = load(sub(element, 1, 36))
  if not job or byte(job[3], 1) ~= queued then return false end
  return sub(job[4], find(job[4], ' ', 1, true) + 1) == sub(element, 38)
end

-- Steps to the list's next live element; cursor.order is false at the end.
local function advance(cursor)
  while true do
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
  end
end

-- Of each list no more elements than were looked at: (name, whether it may have more, elements).
local function shown(cursor)
  local elements = {}
  for i = 1, math.min(cursor.at, #cursor.elements) do elements[i] = cursor.elements[i] end
  return {cursor.name, cursor.order and 1 or 0, elements}
end

-- The first `limit` jobs of the lists of one priority, in the order of becoming eligible.
local function take(cursors, limit)
  local taken = 0
  while taken < limit do
    local first
    for _, cursor in ipairs(cursors) do
      if cursor.order and (not first or cursor.order < first.order) then first = cursor end
    end
    if not first then break end
    taken = taken + 1
    advance(first)
  end
  return taken
end

-- The elements of the only list of a priority, without a look at their jobs.
local function bare(cursor, limit)
  local elements = call('LRANGE', cursor.list, 0, limit)
  cursor.order = #elements > limit
  cursor.at = math.min(#elements, limit)
  cursor.elements = elements
  return cursor.at
end

local function ready(queue, types, limit, is_bare)
  local wanted
  if types then
    wanted = {}
    for _, name in ipairs(types) do wanted[name] = true end
  end
  local groups = {}
  for _, name in ipairs(call('SMEMBERS', base .. 'lists:' .. queue)) do
    if not wanted or wanted[sub(name, 3)] then
      local priority = tonumber(sub(name, 1, 1))
      groups[priority] = groups[priority] or {}
      table.insert(groups[priority], name)
    end
  end
  local rows, complete = {}, 1
  for priority = 0, 9 do
    if groups[priority] then
      if limit <= 0 then
        complete = 0
        break
      end
      local cursors = {}
      table.sort(groups[priority])
      for i, name in ipairs(groups[priority]) do
        cursors[i] = {name = name, list = base .. 'ready:' .. queue .. '/' .. name, elements = {},
                      at = 0, order = false}
      end
      if is_bare and #cursors == 1 then
        limit = limit - bare(cursors[1], limit)
      else
        for _, cursor in ipairs(cursors) do advance(cursor) end
        limit = limit - take(cursors, limit)
      end
      for _, cursor in ipairs(cursors) do rows[#rows + 1] = shown(cursor) end
    end
  end
  return {complete, rows}
end

local heads = {}
for i, wish in ipairs(wishes) do heads[i] = ready(unpack(wish)) end

local config = meta[3] or '0'
local rules = false
if config ~= known then rules = call('HMGET', KEYS[1], 'rules', 'pauses') end
local counts = wants_counts and call('HGETALL', base .. 'counts') or {}

return {now, seq, config, rules, jobs, bound, holders, held, heads, counts,
        clock[1] * 1000000 + clock[2]}
