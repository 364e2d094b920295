/**
 * Transitions of a pattern's two automata. Forwards, a state lists instructions in order of priority, and a match cuts
 * off those of lower priority: the last marked position is the end of the leftmost match that a backtracking engine
 * would find first. Backwards from that end, the last marked position is the start of the match.
 */
import type { MakeStep } from './automaton.ts'
import { conditionsBetween, Op, type Program } from './program.ts'

/** In a list: a new attempt starts at this position, with the lowest priority. */
export const searchOn = -1

/** A set of small numbers that is cleared in constant time. */
class Seen {
  readonly #stamps: Uint32Array
  #stamp = 0

  constructor(size: number) {
    this.#stamps = new Uint32Array(size)
  }

  clear(): void {
    if (this.#stamp === 0xffffffff) this.#stamps.fill(0)
    this.#stamp = this.#stamp === 0xffffffff ? 1 : this.#stamp + 1
  }

  /** Adds a number; false when it was present. */
  add(number: number): boolean {
    if (this.#stamps[number] === this.#stamp) return false
    this.#stamps[number] = this.#stamp
    return true
  }
}

/** Transitions from left to right. */
export function forwardSteps(program: Program): MakeStep {
  const { op, out, arg, border, start } = program
  const visited = new Seen(op.length)
  const added = new Seen(op.length)
  const stack: number[] = []
  return (items, kind, symbol) => {
    const conditions = conditionsBetween(kind, program.kindOf(symbol))
    const next: number[] = []
    let work = 0
    visited.clear()
    added.clear()
    const add = (item: number) => {
      if (added.add(item)) next.push(item)
    }
    const finish = (isMarked: boolean) => ({ items: next, kind: program.kindOf(symbol), isMarked, work })
    for (const item of items) {
      if (item === searchOn) {
        if (symbol === border) continue
        add(start)
        next.push(searchOn)
        continue
      }
      stack.push(item)
      for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
        if (at === 0 || !visited.add(at)) continue
        work += 1
        const code = op[at]
        if (code === Op.rune) {
          if (symbol !== border && program.consumes(at, symbol)) add(out[at] ?? 0)
        } else if (code === Op.match) {
          stack.length = 0
          return finish(true)
        } else if (code === Op.assert) {
          if (((arg[at] ?? 0) & ~conditions) === 0) stack.push(out[at] ?? 0)
        } else if (code !== Op.fail) {
          if (code === Op.alternate || code === Op.alternateMatch) stack.push(arg[at] ?? 0)
          stack.push(out[at] ?? 0)
        }
      }
    }
    return finish(false)
  }
}

/** Transitions from right to left; the order of a list has no meaning. */
export function backwardSteps(program: Program): MakeStep {
  const { op, arg, border, start } = program
  const { entrances, consumers } = predecessors(program)
  const visited = new Seen(op.length)
  const stack: number[] = []
  return (items, kind, symbol) => {
    const conditions = conditionsBetween(program.kindOf(symbol), kind)
    const next: number[] = []
    let isMarked = false
    let work = 0
    visited.clear()
    stack.push(...items)
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (!visited.add(at)) continue
      work += 1
      isMarked ||= at === start
      for (const entrance of entrances[at] ?? [])
        if (op[entrance] !== Op.assert || ((arg[entrance] ?? 0) & ~conditions) === 0) stack.push(entrance)
      for (const consumer of consumers[at] ?? []) {
        work += 1
        if (symbol !== border && program.consumes(consumer, symbol)) next.push(consumer)
      }
    }
    next.sort((left, right) => left - right)
    return { items: next, kind: program.kindOf(symbol), isMarked, work }
  }
}

/** By instruction: the ones that lead to it without consuming a character, and the ones that consume one. */
function predecessors({ op, out, arg }: Program): { entrances: number[][]; consumers: number[][] } {
  const entrances: number[][] = Array.from(op, () => [])
  const consumers: number[][] = Array.from(op, () => [])
  for (const [at, code] of op.entries()) {
    if (code === Op.fail || code === Op.match) continue
    const lists = code === Op.rune ? consumers : entrances
    lists[out[at] ?? 0]?.push(at)
    if (code === Op.alternate || code === Op.alternateMatch) lists[arg[at] ?? 0]?.push(at)
  }
  return { entrances, consumers }
}
