/**
 * The Lua code that all counter scripts share, and the scripts that read, set and list counters; reservations and
 * settlements are in `counter-steps-script.ts`. Each script is atomic.
 * https://redis.io/docs/latest/develop/programmability/eval-intro/ A counter is a packed string (see `load`) and a
 * sorted set of leases by expiry, whose members are packed too (amount, length, bucket, attempt). An attempt is a
 * packed table of its members by counter. The arithmetic is that of `counter-use.ts` in the domain, digit by digit.
 * Windows and leases expire; budgets do not. Calls out of Lua cost more than everything else, so the scripts make few.
 * The first argument is the caller's time in milliseconds, or empty for the server's time.
 */

import { budgets, leasesPrefix } from './counter-names.ts'

/** The maximum time that a window may remain after its end. */
const slackMs = 60_000

const arithmetic = `
local floor, ceil, max, min, call = math.floor, math.ceil, math.max, math.min, redis.call

local function exact(amount)
  if amount < 4e6 and amount > -4e6 then return floor(amount * 1e9 + 0.5) / 1e9 end
  return amount
end

local function used(counter)
  if counter.length == 0 or counter.previous == 0 then return counter.current end
  local elapsed = now - counter.offset - counter.bucket * counter.length
  local share = min(1, (counter.length - elapsed) / counter.length)
  return exact(counter.current + ceil(exact(counter.previous * share)))
end

-- Whole numbers unchanged, fractions as the negative of their billionths, because printing fractions is slow.
local function sent(amount)
  if amount == floor(amount) then return amount end
  if amount > 0 and amount < 4e6 then return -floor(amount * 1e9 + 0.5) end
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
local function leasesOf(counter) return '${leasesPrefix}' .. counter.key end

-- All leases end between firstEnd and lastEnd. Their set exists at least until kept, a window at least until expires.
local function load(packed, key, length, offset)
  local counter = { key = key, length = length, offset = offset, bucket = 0, current = 0, previous = 0,
    reserved = 0, leases = 0, firstEnd = 0, lastEnd = 0, kept = 0, expires = 0, isNew = true }
  if length > 0 then counter.bucket = floor((now - offset) / length) end
  if not packed then return counter end
  local keptLength, bucket, current, previous, reserved, leases, firstEnd, lastEnd, kept, expires =
    cmsgpack.unpack(packed)
  counter.reserved, counter.leases, counter.firstEnd, counter.lastEnd = reserved, leases, firstEnd, lastEnd
  counter.kept = kept
  if keptLength == length then
    counter.isNew, counter.expires = false, expires
    local own = counter.bucket
    if own == bucket or own == bucket - 1 then
      counter.bucket, counter.current, counter.previous = bucket, current, previous
    elseif own == bucket + 1 then
      counter.previous = current
    end
  end
  if leases == 0 or firstEnd > now then return counter end
  local set = leasesOf(counter)
  for _, member in ipairs(call('ZRANGEBYSCORE', set, '-inf', now)) do
    counter.reserved = exact(counter.reserved - cmsgpack.unpack(member))
  end
  call('ZREMRANGEBYSCORE', set, '-inf', now)
  counter.leases = call('ZCARD', set)
  counter.hasLapsed = true
  if counter.leases == 0 then counter.reserved = 0
  else counter.firstEnd = tonumber(call('ZRANGE', set, 0, 0, 'WITHSCORES')[2]) end
  return counter
end

-- Adds to the bucket in which the amount was admitted, or to none if that bucket no longer exists.
local function addTo(counter, bucket, amount)
  if bucket == counter.bucket then counter.current = exact(counter.current + amount)
  elseif bucket == counter.bucket - 1 then counter.previous = exact(counter.previous + amount) end
end

local function save(counter, use)
  if counter.leases == 0 then
    counter.reserved, counter.firstEnd, counter.lastEnd, counter.kept = 0, 0, 0, 0
  end
  local length = counter.length
  local isPutOff = false
  if length > 0 then
    local ends = max((counter.bucket + 2) * length + counter.offset, counter.lastEnd)
    isPutOff = ends > counter.expires
    -- Longer than necessary, so that not every lease extends the expiry.
    if isPutOff then counter.expires = ceil(max(ends, now)) + min(length, ${slackMs}) end
  end
  local packed = cmsgpack.pack(length, counter.bucket, counter.current, counter.previous, counter.reserved,
    counter.leases, counter.firstEnd, counter.lastEnd, counter.kept, counter.expires)
  if isPutOff then call('SET', use, packed, 'PX', counter.expires - floor(now))
  elseif length > 0 then call('SET', use, packed, 'KEEPTTL')
  else
    call('SET', use, packed)
    if counter.isNew then call('ZADD', '${budgets}', 0, counter.key) end
  end
end

-- Removes a lease that has not ended, and returns its amount, length and bucket.
local function drop(counter, member)
  if call('ZREM', leasesOf(counter), member) == 0 then return nil end
  local amount, length, bucket = cmsgpack.unpack(member)
  counter.reserved = exact(counter.reserved - amount)
  counter.leases = counter.leases - 1
  if counter.leases == 0 then counter.reserved = 0 end
  return amount, length, bucket
end
`

/** The common start of every script that changes counters. */
export const sharedLua = time + arithmetic + counters

/** KEYS: counters. ARGV: time, then for each: key, length, offset. Returns for each: used, reserved. */
export const readScript = `${sharedLua}
local answer = {}
for index, use in ipairs(KEYS) do
  local at = index * 3 - 1
  local packed = call('GET', use)
  local one = load(packed, ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]))
  -- Uses the requested window, which may differ from the stored one.
  if one.hasLapsed then
    local state = { cmsgpack.unpack(packed) }
    state[5], state[6], state[7] = one.reserved, one.leases, one.firstEnd
    call('SET', use, cmsgpack.pack(unpack(state)), 'KEEPTTL')
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

/** KEYS: counters. ARGV: time, then for each: key, used. */
export const seedScript = `${sharedLua}
for index, use in ipairs(KEYS) do
  local one = load(call('GET', use), ARGV[index * 2], 0, 0)
  one.current = max(one.current, tonumber(ARGV[index * 2 + 1]))
  save(one, use)
end`

/**
 * KEYS: counters, as found by a scan. ARGV: time. Returns the time, then for each: length (0: a budget, or it no longer
 * exists), bucket, current, previous.
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
 * Raises windows to stored values at any time: a late clock must not lose usage. KEYS: counters. ARGV: time, then for
 * each: length, offset, bucket, current, previous.
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
  local state = packed and { cmsgpack.unpack(packed) } or { length, bucket, 0, 0, 0, 0, 0, 0, 0, 0 }
  if state[1] == length then
    local latest = math.max(state[2], bucket)
    local knownCurrent, knownPrevious = seen(state[2], state[3], state[4], latest)
    current, previous = seen(bucket, current, previous, latest)
    bucket, current, previous = latest, math.max(current, knownCurrent), math.max(previous, knownPrevious)
  end
  state[1], state[2], state[3], state[4] = length, bucket, current, previous
  local ends = math.max((bucket + 2) * length + offset, state[8], state[10], now + 1)
  state[10] = math.ceil(ends)
  redis.call('SET', use, cmsgpack.pack(unpack(state)), 'PX', math.ceil(ends - now))
end`

/**
 * KEYS: the index of budgets. ARGV: the prefix of counters, the prefix of budgets, `(` or `[` and the start, the most
 * to return.
 */
export const listScript = `
local answer = {}
for _, key in ipairs(redis.call('ZRANGEBYLEX', KEYS[1], ARGV[3], '+', 'LIMIT', 0, ARGV[4])) do
  if string.sub(key, 1, #ARGV[2]) ~= ARGV[2] then break end
  local packed = redis.call('GET', ARGV[1] .. key)
  answer[#answer + 1] = key
  answer[#answer + 1] = packed and string.format('%.17g', (select(3, cmsgpack.unpack(packed)))) or '0'
end
return answer`
