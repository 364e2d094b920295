/**
 * The Lua code of reservations and settlements: any number of them in order, on counters that are read and written
 * once. The script is atomic: each step takes from all of its counters or from none.
 */
import { attemptPrefix, callsPrefix, usePrefix } from './counter-names.ts'
import { sharedLua } from './counter-scripts.ts'

/** Longer than a process retries an unanswered call. */
const callsKeptMs = 3_600_000

/**
 * ARGV: the caller's time or nothing, then as JSON:
 * - counters: key, length, offset of each, in one flat list; each counter occurs once
 * - ids of attempts that are settled or reserve an amount
 * - steps: [`r`, attempt, lease in ms, earlier calls that failed and the step's place in each (or 0), then for each:
 *   number of the counter, limit, need, `o`pen or `f`its, `u`se or `h`old, how many ms ago it began] or [`s`, attempt,
 *   then for each: number of the counter, amount]; reservations of an attempt that its settlement does not name are
 *   released
 * - only where requests are counted: the id of the process, the number of this call, the number up to which all calls
 *   have ended, and the numbers of calls whose answers were lost
 *
 * A reservation that was executed in an earlier call is not executed again, and an earlier call that arrives after its
 * repetition has no effect.
 *
 * Returns for each reservation: 1 or 0, then for each counter: used, reserved, 1 or 0; for each settlement for each
 * counter: used, reserved.
 */
export const stepsScript = `${sharedLua}
local names, ids, steps, process, number, floorOfCalls, lost = unpack(cjson.decode(ARGV[2]))

local uses, numbers = {}, {}
for at = 1, #names, 3 do
  local number = #uses + 1
  uses[number] = '${usePrefix}' .. names[at]
  numbers[names[at]] = number
end
if process then uses[#uses + 1] = '${callsPrefix}' .. process end
local stored = #uses > 0 and call('MGET', unpack(uses))

-- By the number of a call: the places of the steps that it refused; false when it came to nothing.
local outcomes, refused = {}, {}
if process then
  local lowest, kept = 0, {}
  if stored[#uses] then lowest, kept = cmsgpack.unpack(stored[#uses]) end
  if number <= lowest or kept[number] ~= nil then return {} end
  floorOfCalls = max(floorOfCalls, lowest)
  for _, one in ipairs(lost) do outcomes[one] = kept[one] end
  for one, outcome in pairs(kept) do
    if one > floorOfCalls then outcomes[one] = outcome end
  end
  outcomes[number] = refused
end

local function wasTaken(before)
  local isTaken = false
  if before ~= 0 then
    for at = 1, #before, 2 do
      local outcome = outcomes[before[at]]
      if not outcome then outcomes[before[at]] = false
      elseif not outcome[before[at + 1]] then isTaken = true end
    end
  end
  return isTaken
end

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

local function reserve(step, place)
  local all, admits, asked = true, {}, {}
  local isTaken = wasTaken(step[4])
  for at = 5, #step, 6 do
    local one, limit, need = counterAt(step[at]), step[at + 1], step[at + 2]
    local taken = exact(used(one) + one.reserved)
    local isAdmitted
    if step[at + 3] == 'o' then isAdmitted = taken < limit
    else isAdmitted = exact(taken + min(need, limit)) <= limit end
    isAdmitted = isAdmitted or isTaken
    asked[at], admits[at] = one, isAdmitted
    all = all and isAdmitted
  end
  told = told + 1
  answer[told] = all and 1 or 0
  if not all then refused[place] = true end
  for at = 5, #step, 6 do
    local one, need, age = asked[at], step[at + 2], step[at + 5]
    if all and not isTaken then
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

for place, step in ipairs(steps) do
  if step[1] == 'r' then reserve(step, place) else settle(step) end
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
if process then call('SET', uses[#uses], cmsgpack.pack(floorOfCalls, outcomes), 'PX', ${callsKeptMs}) end
return answer`
