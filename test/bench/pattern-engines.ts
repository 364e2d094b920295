/**
 * Compares the engine of @gateway/pattern with re2js's public API, as a Markdown table. The conclusions are in
 * docs/performance-patterns.md. `node test/dist/bench/pattern-engines.js [ROUNDS]`. Each round compiles the pattern
 * anew.
 */
import { compilePattern } from '@gateway/pattern'
import { RE2JS } from 're2js'
import { median } from './statistics.ts'

const PATTERNS = [
  '(?i)confidential|internal use only',
  '(a+)+$',
  '(?:.*a){20}',
  '[ab]*a[ab]{40}c$',
  '(?:a?){200}a{200}',
  '(?:[a-z]{1,50}){1,20}\\d',
]
const LENGTHS = [10_000, 128_000, 1_000_000]
/** A slower measurement is not repeated. */
const SLOW_MS = 1000

const sentence =
  'The quick brown fox jumps over the lazy dog while 4242 people watch it from the other bank. '

/** The letters a and b in an order that no automaton can predict: the same each time. */
function randomLetters(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state > 2 ** 31 ? 'a' : 'b'
  }).join('')
}

const textsOf = (length: number) => ({
  prose: `${sentence.repeat(length / sentence.length)}confidential`,
  letters: `c${randomLetters(length)}!`,
})

interface Times {
  test: number
  find: number
  engine: number
  longestTurn: number
}

function measure(rule: string, text: string): Times {
  const compiled = RE2JS.compile(rule)
  const test = timeOf(() => compiled.test(text))
  const find = timeOf(() => compiled.matcher(text).find())
  const turns = compilePattern(rule).inTurns.find(text, 1)
  let engine = 0
  let longestTurn = 0
  for (let isDone = false; !isDone; ) {
    const turn = timeOf(() => {
      isDone = turns.next().done === true
    })
    engine += turn
    longestTurn = Math.max(longestTurn, turn)
  }
  return { test, find, engine, longestTurn }
}

/**
 * The lesser of processor time, which includes the process's other threads, and wall time, which includes other
 * processes.
 */
function timeOf(work: () => unknown): number {
  const begun = { at: performance.now(), cpu: process.cpuUsage() }
  work()
  const wallMs = performance.now() - begun.at
  const { user, system } = process.cpuUsage(begun.cpu)
  return Math.min(wallMs, (user + system) / 1000)
}

function medians(rule: string, text: string, rounds: number): Times {
  const times: Times[] = []
  while (times.length < rounds && !times.some(({ find }) => find > SLOW_MS)) times.push(measure(rule, text))
  const medianOf = (name: keyof Times) => median(times.map((each) => each[name]))
  return {
    test: medianOf('test'),
    find: medianOf('find'),
    engine: medianOf('engine'),
    longestTurn: medianOf('longestTurn'),
  }
}

const rounds = Number(process.argv[2] ?? 5)
console.log('| pattern | text | characters | `.test()` | `.find()` | engine | its longest turn |')
console.log('|---|---|--:|--:|--:|--:|--:|')
for (const rule of PATTERNS)
  for (const length of LENGTHS)
    for (const [name, text] of Object.entries(textsOf(length))) {
      const { test, find, engine, longestTurn } = medians(rule, text, rounds)
      const figures = [test, find, engine, longestTurn].map((ms) => ms.toFixed(1))
      const cells = [`\`${rule.replaceAll('|', '\\|')}\``, name, length.toLocaleString('en'), ...figures]
      console.log(`| ${cells.join(' | ')} |`)
    }
