/** Measures how long adversarial patterns block the event loop, on a text of 1 MB. */
import type { Registry } from '#flow/registry'
import { compileChecks, runPhase } from './check-phase.ts'
import { median } from './statistics.ts'

/** Patterns that backtracking engines do not finish, or whose automata grow exponentially or are large. */
const SLOW = [
  '(a+)+$',
  '(a|aa)+$',
  '([a-zA-Z]+)*$',
  '(?:.*a){20}',
  '[ab]*a[ab]{40}c$',
  '(?:a?){200}a{200}',
  '(?:[a-z]{1,50}){1,20}\\d',
]
const SLOW_CHARS = 1_000_000
const SLOW_ROUNDS = 3
/** A run is stopped after this time: a longer run adds no information. */
const SLOW_LIMIT_MS = 2000

/** The longest time between two turns of the event loop, in milliseconds: the median over the rounds. */
export async function longestBlock(registry: Registry): Promise<number> {
  const phases = SLOW.map((rule) => compileChecks(registry, [{ regexMatch: { rule, not: true } }]))
  // The text contains the letter c: otherwise a pattern that needs it would end immediately.
  const texts = [`c${randomLetters(SLOW_CHARS)}!`, `${'a'.repeat(SLOW_CHARS)}!`]
  const rounds: number[] = []
  for (let round = 0; round < SLOW_ROUNDS; round += 1) {
    let longest = 0
    for (const phase of phases) {
      for (const content of texts) {
        const body = JSON.parse(
          JSON.stringify({ model: 'bench-model', messages: [{ role: 'user', content }] }),
        )
        const work = () => runPhase(phase, body, AbortSignal.timeout(SLOW_LIMIT_MS))
        longest = Math.max(longest, await blockOf(work))
      }
    }
    rounds.push(longest)
  }
  return median(rounds)
}

/**
 * Processor time includes other threads of the process, wall time includes other processes: the event loop's own time
 * is at most the smaller one.
 */
async function blockOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = { cpu: process.cpuUsage(), at: performance.now() }
  let timer = setImmediate(function look() {
    const { user, system } = process.cpuUsage(last.cpu)
    longest = Math.max(longest, Math.min((user + system) / 1000, performance.now() - last.at))
    last = { cpu: process.cpuUsage(), at: performance.now() }
    timer = setImmediate(look)
  })
  await work()
  // The last slice of work ends with a turn of the event loop, too.
  await new Promise((resolve) => setImmediate(resolve))
  clearImmediate(timer)
  return longest
}

/** Letters a and b in pseudorandom order, the same each time. */
function randomLetters(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state > 2 ** 31 ? 'a' : 'b'
  }).join('')
}
