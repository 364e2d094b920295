/**
 * The Lua code of reservations and settlements: any number of them in order, on counters that are read and written
 * once. The script is atomic, so that each step takes from all of its counters or from none.
 */
import { attemptPrefix, usePrefix } from './counter-names.ts'
import { sharedLua } from './counter-scripts.ts'

/**
 * ARGV: the caller's time or nothing, then as JSON:
 * - counters: key, length, offset of each, in one flat list; each counter occurs once
 * - ids of attempts that are settled or reserve an amount
 * - steps: [`r`, attempt, lease in ms, then for each: number of the counter, limit, need, `o`pen or `f`its, `u`se or
 *   `h`old, how many ms ago it began] or [`s`, attempt, then for each: number of the counter, amount]; reservations of
 *   an attempt that its settlement does not name are released
 *
 * Returns for each reservation: 1 or 0, then for each counter: used, reserved, 1 or 0; for each settlement for each
 * counter: used, reserved.
 */
export const stepsScript = `${sharedLua}
local names, ids, steps = unpack(cjson.decode(ARGV[2]))

local uses, numbers = {}, {}
for at = 1, #names, 3 do
  local number = #uses + 1
  uses[number] = '${usePrefix}' .. names[at]
  numbers[names[at]] = number
end
local stored = #uses > 0 and call('MGET', unpack(uses))

local counters = {}
local function counterAt(number)
  local one = counters[number]
  if one then return one end
  local at = number * 3 - 2
  one = load(stored[number], names[at], names[at + 1], names[at + 2])
  -- Expired leases are removed from the set, so their amount must not stay reserved.
  one.isChanged = one.hasLapsed
  counters[number] = one
  return one
end

local attempts = {}
if #ids > 0 then
  local keys = {}
  for index, id in ipairs(ids) do keys[index] = '${attemptPrefix}' .. id end
  local found = call('MGET', unpack(keys))
  for index, id in ipairs(ids) do
    local packed = found[index]
    attempts[id] = { key = keys[index], isKnown = packed, members = packed and cmsgpack.unpack(packed) or {}, ttl = 0 }
  end
end

local answer, told = {}, 0

local function hold(one, attempt, need, lease)
  local known = attempts[attempt]
  local held = known.members[one.key]
  local amount = exact(need + (held and drop(one, held) or 0))
  local member = cmsgpack.pack(amount, one.length, one.bucket, attempt)
  local leaseEnd = now + lease
  call('ZADD', leasesOf(one), leaseEnd, member)
  known.members[one.key] = member
  known.ttl = max(known.ttl, lease)
  known.isChanged = true
  one.reserved = exact(one.reserved + amount)
  if one.leases == 0 then one.firstEnd, one.lastEnd, one.kept = leaseEnd, 0, 0 end
  one.leases = one.leases + 1
  one.firstEnd = min(one.firstEnd, leaseEnd)
  one.lastEnd = max(one.lastEnd, leaseEnd)
  if one.lastEnd > one.kept then
    -- Longer than necessary, so that not every lease extends the expiry.
    one.kept = one.lastEnd + lease
    call('PEXPIRE', leasesOf(one), ceil(one.kept - now))
  end
end

local function reserve(step)
  local all, admits, asked = true, {}, {}
  for at = 4, #step, 6 do
    local one, limit, need = counterAt(step[at]), step[at + 1], step[at + 2]
    local taken = exact(used(one) + one.reserved)
    local isAdmitted
    if step[at + 3] == 'o' then isAdmitted = taken < limit
    else isAdmitted = exact(taken + min(need, limit)) <= limit end
    asked[at], admits[at] = one, isAdmitted
    all = all and isAdmitted
  end
  told = told + 1
  answer[told] = all and 1 or 0
  for at = 4, #step, 6 do
    local one, need, age = asked[at], step[at + 2], step[at + 5]
    if all then
      one.isChanged = true
      if step[at + 4] == 'h' then hold(one, step[2], need, step[3])
      else
        local begun = one.bucket
        if age > 0 and one.length > 0 then begun = floor((now - age - one.offset) / one.length) end
        addTo(one, begun, need)
      end
    end
    answer[told + 1], answer[told + 2] = sent(used(one)), sent(one.reserved)
    answer[told + 3] = admits[at] and 1 or 0
    told = told + 3
  end
end

-- Releases an amount that the settlement does not name, on a counter that no step names.
local function giveBack(key, member)
  local use = '${usePrefix}' .. key
  local kept = call('GET', use)
  if not kept then return end
  local state = { cmsgpack.unpack(kept) }
  local counter = { key = key, reserved = state[5], leases = state[6] }
  if not drop(counter, member) then return end
  state[5], state[6] = counter.reserved, counter.leases
  if counter.leases <= 0 then state[5], state[6], state[7], state[8], state[9] = 0, 0, 0, 0, 0 end
  call('SET', use, cmsgpack.pack(unpack(state)), 'KEEPTTL')
end

local function settle(step)
  local attempt = attempts[step[2]]
  local members = attempt.members
  for at = 3, #step, 2 do
    local one = counterAt(step[at])
    local member = members[one.key]
    if member then
      members[one.key] = nil
      local held, length, bucket = drop(one, member)
      if held then
        one.isChanged = true
        if length == one.length then addTo(one, bucket, step[at + 1]) end
      end
    end
  end
  for key, member in pairs(members) do
    local number = numbers[key]
    if number then
      local one = counterAt(number)
      if drop(one, member) then one.isChanged = true end
    else giveBack(key, member) end
  end
  attempt.members, attempt.ttl, attempt.isSettled, attempt.isChanged = {}, 0, true, true
  for at = 3, #step, 2 do
    local one = counterAt(step[at])
    answer[told + 1], answer[told + 2] = sent(used(one)), sent(one.reserved)
    told = told + 2
  end
end

for _, step in ipairs(steps) do
  if step[1] == 'r' then reserve(step) else settle(step) end
end

for number, one in pairs(counters) do
  if one.isChanged then save(one, uses[number]) end
end
local settled = {}
for _, attempt in pairs(attempts) do
  if attempt.isChanged then
    if next(attempt.members) then
      local ttl = max(1, ceil(attempt.ttl))
      if attempt.isKnown and not attempt.isSettled then ttl = max(ttl, call('PTTL', attempt.key)) end
      call('SET', attempt.key, cmsgpack.pack(attempt.members), 'PX', ttl)
    elseif attempt.isKnown then settled[#settled + 1] = attempt.key end
  end
end
if #settled > 0 then call('DEL', unpack(settled)) end
return answer`
