/**
 * The Lua of counters: each script takes one step on all its counters, and nothing comes between.
 * https://redis.io/docs/latest/develop/programmability/eval-intro/
 * A counter is a packed string (see `load`) and a sorted set of leases by their end, whose members are packed too
 * (amount, length, bucket, attempt); an attempt is a packed table of its members by counter. The arithmetic is that of
 * `counter-use.ts` in the domain, digit by digit. Windows and leases expire; budgets do not. Calls out of Lua cost more
 * than all the rest, so there are few.
 * Arguments begin with the caller's time in milliseconds, or nothing for the server's own.
 */

const arithmetic = `
local function exact(amount)
  if amount < 4e6 and amount > -4e6 then return math.floor(amount * 1e9 + 0.5) / 1e9 end
  return amount
end

local function used(counter)
  if counter.length == 0 or counter.previous == 0 then return counter.current end
  local elapsed = now - counter.offset - counter.bucket * counter.length
  local share = math.min(1, (counter.length - elapsed) / counter.length)
  return exact(counter.current + math.ceil(exact(counter.previous * share)))
end

-- Whole numbers travel as such; printing fractions is slow.
local function sent(amount)
  if amount == math.floor(amount) then return amount end
  return string.format('%.17g', amount)
end
`

const time = `
local now = tonumber(ARGV[1])
if not now then
  local parts = redis.call('TIME')
  now = parts[1] * 1000 + math.floor(parts[2] / 1000)
end
`

const counters = `
-- No lease ends before firstEnd, none after lastEnd; their set is there until kept at least.
local function load(packed, names, length, offset)
  local counter = { names = names, length = length, offset = offset, bucket = 0, current = 0, previous = 0,
    reserved = 0, leases = 0, firstEnd = 0, lastEnd = 0, kept = 0, isNew = true }
  if length > 0 then counter.bucket = math.floor((now - offset) / length) end
  if not packed then return counter end
  local keptLength, bucket, current, previous
  keptLength, bucket, current, previous, counter.reserved, counter.leases, counter.firstEnd, counter.lastEnd,
    counter.kept = cmsgpack.unpack(packed)
  if keptLength == length then
    counter.isNew = false
    if counter.bucket == bucket or counter.bucket == bucket - 1 then
      counter.bucket, counter.current, counter.previous = bucket, current, previous
    elseif counter.bucket == bucket + 1 then
      counter.previous = current
    end
  end
  if counter.leases == 0 or counter.firstEnd > now then return counter end
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', names.leases, '-inf', now)) do
    counter.reserved = exact(counter.reserved - cmsgpack.unpack(member))
  end
  redis.call('ZREMRANGEBYSCORE', names.leases, '-inf', now)
  counter.leases = redis.call('ZCARD', names.leases)
  counter.hasLapsed = true
  if counter.leases == 0 then counter.reserved = 0
  else counter.firstEnd = tonumber(redis.call('ZRANGE', names.leases, 0, 0, 'WITHSCORES')[2]) end
  return counter
end

-- In the bucket in which it was admitted; nothing when that bucket has gone.
local function addTo(counter, bucket, amount)
  if bucket == counter.bucket then counter.current = exact(counter.current + amount)
  elseif bucket == counter.bucket - 1 then counter.previous = exact(counter.previous + amount) end
end

local function save(counter)
  if counter.leases == 0 then
    counter.reserved, counter.firstEnd, counter.lastEnd, counter.kept = 0, 0, 0, 0
  end
  local packed = cmsgpack.pack(counter.length, counter.bucket, counter.current, counter.previous, counter.reserved,
    counter.leases, counter.firstEnd, counter.lastEnd, counter.kept)
  if counter.length > 0 then
    local ends = (counter.bucket + 2) * counter.length + counter.offset
    local ttl = math.max(math.ceil(math.max(ends, counter.lastEnd) - now), 1)
    redis.call('SET', counter.names.use, packed, 'PX', ttl)
  else
    redis.call('SET', counter.names.use, packed)
    if counter.isNew then redis.call('ZADD', counter.names.budgets, 0, counter.names.key) end
  end
end

-- Gives what is left of a lease that has not ended.
local function drop(counter, member)
  if redis.call('ZREM', counter.names.leases, member) == 0 then return nil end
  local amount, length, bucket = cmsgpack.unpack(member)
  counter.reserved = exact(counter.reserved - amount)
  counter.leases = counter.leases - 1
  return amount, length, bucket
end
`

const shared = time + arithmetic + counters

/**
 * KEYS: the attempt, the index of budgets, then for each counter itself; then for each its leases.
 * ARGV: time, lease in ms, attempt, then for each: key, length, offset, limit, need, `open` or `fits`, `use` or `hold`,
 * how many ms ago it began.
 * Gives 1 or 0, then for each: used, reserved, 1 or 0.
 */
export const reserveScript = `${shared}
local lease, attempt = tonumber(ARGV[2]), ARGV[3]
local count = (#KEYS - 2) / 2
local asked, isAdmitted = {}, true
local stored = redis.call('MGET', unpack(KEYS, 3, 2 + count))
for index = 1, count do
  local at = 3 + (index - 1) * 8
  local names = { use = KEYS[2 + index], leases = KEYS[2 + count + index], budgets = KEYS[2], key = ARGV[at + 1] }
  local one = load(stored[index], names, tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]))
  local limit = tonumber(ARGV[at + 4])
  one.need = tonumber(ARGV[at + 5])
  one.isUse = ARGV[at + 7] == 'use'
  one.age = tonumber(ARGV[at + 8])
  local taken = exact(used(one) + one.reserved)
  if ARGV[at + 6] == 'open' then one.isAdmitted = taken < limit
  else one.isAdmitted = exact(taken + math.min(one.need, limit)) <= limit end
  isAdmitted = isAdmitted and one.isAdmitted
  asked[index] = one
end

local answer = { isAdmitted and 1 or 0 }
local function tell(index, one)
  answer[index * 3 - 1], answer[index * 3] = sent(used(one)), sent(one.reserved)
  answer[index * 3 + 1] = one.isAdmitted and 1 or 0
end
if not isAdmitted then
  for index, one in ipairs(asked) do
    tell(index, one)
    -- What lapsed has gone from the leases, and must not stay reserved.
    if one.hasLapsed then save(one) end
  end
  return answer
end

local members, isKnown, holds = nil, false, false
for index, one in ipairs(asked) do
  if one.isUse then
    local begun = one.bucket
    if one.age > 0 and one.length > 0 then begun = math.floor((now - one.age - one.offset) / one.length) end
    addTo(one, begun, one.need)
  else
    if not holds then
      local known = redis.call('GET', KEYS[1])
      isKnown, holds = known, true
      members = known and cmsgpack.unpack(known) or {}
    end
    local held = members[one.names.key]
    local amount = exact(one.need + (held and drop(one, held) or 0))
    local member = cmsgpack.pack(amount, one.length, one.bucket, attempt)
    redis.call('ZADD', one.names.leases, now + lease, member)
    members[one.names.key] = member
    one.reserved = exact(one.reserved + amount)
    if one.leases == 0 then one.firstEnd, one.lastEnd, one.kept = now + lease, 0, 0 end
    one.leases = one.leases + 1
    one.firstEnd = math.min(one.firstEnd, now + lease)
    one.lastEnd = math.max(one.lastEnd, now + lease)
    if one.lastEnd > one.kept then
      -- For longer than it needs to be, so that not every lease has to put it off.
      one.kept = one.lastEnd + lease
      redis.call('PEXPIRE', one.names.leases, math.ceil(one.kept - now))
    end
  end
  save(one)
  tell(index, one)
end
if holds then
  local ttl = math.max(1, math.ceil(lease))
  if isKnown then ttl = math.max(ttl, redis.call('PTTL', KEYS[1])) end
  redis.call('SET', KEYS[1], cmsgpack.pack(members), 'PX', ttl)
end
return answer`

/**
 * KEYS: as of {@link reserveScript}, of the counters that are named.
 * ARGV: time, what the names of counters and of leases begin with, then for each: key, length, offset, amount. What is
 * not named is given back.
 * Gives for each: used, reserved.
 */
export const settleScript = `${shared}
local count = (#KEYS - 2) / 2
local packed = redis.call('GET', KEYS[1])
local members = packed and cmsgpack.unpack(packed) or {}
local answer = {}
local stored = count > 0 and redis.call('MGET', unpack(KEYS, 3, 2 + count))
for index = 1, count do
  local at = 3 + (index - 1) * 4
  local key = ARGV[at + 1]
  local names = { use = KEYS[2 + index], leases = KEYS[2 + count + index], budgets = KEYS[2], key = key }
  local one = load(stored[index], names, tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]))
  local member = members[key]
  members[key] = nil
  local held, length, bucket
  if member then held, length, bucket = drop(one, member) end
  if held and length == one.length then addTo(one, bucket, tonumber(ARGV[at + 4])) end
  if held or one.hasLapsed then save(one) end
  answer[index * 2 - 1], answer[index * 2] = sent(used(one)), sent(one.reserved)
end
if not packed then return answer end
for key, member in pairs(members) do
  local use = ARGV[2] .. key
  local kept = redis.call('GET', use)
  if kept then
    local state = { cmsgpack.unpack(kept) }
    local counter = { names = { leases = ARGV[3] .. key }, reserved = state[5], leases = state[6] }
    if drop(counter, member) then
      state[5], state[6] = counter.reserved, counter.leases
      if counter.leases <= 0 then state[5], state[6], state[7], state[8], state[9] = 0, 0, 0, 0, 0 end
      redis.call('SET', use, cmsgpack.pack(unpack(state)), 'KEEPTTL')
    end
  end
end
redis.call('DEL', KEYS[1])
return answer`

/**
 * KEYS: for each the counter; then for each its leases. ARGV: time, then for each: length, offset.
 * Gives for each: used, reserved.
 */
export const readScript = `${shared}
local answer = {}
local count = #KEYS / 2
for index = 1, count do
  local names = { use = KEYS[index], leases = KEYS[count + index] }
  local packed = redis.call('GET', names.use)
  local one = load(packed, names, tonumber(ARGV[index * 2]), tonumber(ARGV[index * 2 + 1]))
  -- Under the window that it is asked for; it may be another one than it has.
  if one.hasLapsed then
    local state = { cmsgpack.unpack(packed) }
    state[5], state[6], state[7] = one.reserved, one.leases, one.firstEnd
    redis.call('SET', names.use, cmsgpack.pack(unpack(state)), 'KEEPTTL')
  end
  answer[index * 2 - 1], answer[index * 2] = sent(used(one)), sent(one.reserved)
end
return answer`

/** KEYS: counters. */
export const resetScript = `
for _, use in ipairs(KEYS) do
  local packed = redis.call('GET', use)
  if packed then
    local state = { cmsgpack.unpack(packed) }
    state[3], state[4] = 0, 0
    redis.call('SET', use, cmsgpack.pack(unpack(state)), 'KEEPTTL')
  end
end`

/** KEYS: the index of budgets, then for each the counter; then for each its leases. ARGV: time, then for each: key, used. */
export const seedScript = `${shared}
local count = (#KEYS - 1) / 2
for index = 1, count do
  local names = { use = KEYS[1 + index], leases = KEYS[1 + count + index], budgets = KEYS[1], key = ARGV[index * 2] }
  local one = load(redis.call('GET', names.use), names, 0, 0)
  one.current = math.max(one.current, tonumber(ARGV[index * 2 + 1]))
  save(one)
end`

/**
 * KEYS: counters, as they were found. ARGV: time.
 * Gives the time, then for each: length (0: a budget, or it has gone), bucket, current, previous.
 */
export const windowsScript = `${time}${arithmetic}
local answer = { now }
for index, packed in ipairs(redis.call('MGET', unpack(KEYS))) do
  local length, bucket, current, previous = 0, 0, 0, 0
  if packed then length, bucket, current, previous = cmsgpack.unpack(packed) end
  local at = index * 4 - 2
  answer[at], answer[at + 1], answer[at + 2], answer[at + 3] = length, bucket, sent(current), sent(previous)
end
return answer`

/**
 * Raises windows by what is kept of them, whatever the time: a clock that is behind must lose nothing.
 * KEYS: counters. ARGV: time, then for each: length, offset, bucket, current, previous.
 */
export const seedWindowsScript = `${time}
local function seen(from, current, previous, bucket)
  if from == bucket then return current, previous end
  return 0, from == bucket - 1 and current or 0
end

for index, use in ipairs(KEYS) do
  local at = index * 5 - 3
  local length, offset, bucket = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local current, previous = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  local packed = redis.call('GET', use)
  local state = packed and { cmsgpack.unpack(packed) } or { length, bucket, 0, 0, 0, 0, 0, 0, 0 }
  if state[1] == length then
    local latest = math.max(state[2], bucket)
    local knownCurrent, knownPrevious = seen(state[2], state[3], state[4], latest)
    current, previous = seen(bucket, current, previous, latest)
    bucket, current, previous = latest, math.max(current, knownCurrent), math.max(previous, knownPrevious)
  end
  state[1], state[2], state[3], state[4] = length, bucket, current, previous
  local ttl = math.max(math.ceil(math.max((bucket + 2) * length + offset, state[8]) - now), 1)
  redis.call('SET', use, cmsgpack.pack(unpack(state)), 'PX', ttl)
end`

/** KEYS: the index of budgets. ARGV: what counters begin with, prefix, `(` or `[` and where to begin, the most. */
export const listScript = `
local answer = {}
for _, key in ipairs(redis.call('ZRANGEBYLEX', KEYS[1], ARGV[3], '+', 'LIMIT', 0, ARGV[4])) do
  if string.sub(key, 1, #ARGV[2]) ~= ARGV[2] then break end
  local packed = redis.call('GET', ARGV[1] .. key)
  answer[#answer + 1] = key
  answer[#answer + 1] = packed and string.format('%.17g', (select(3, cmsgpack.unpack(packed)))) or '0'
end
return answer`
