/**
 * A lazy DFA: a state is a list of instructions, and each transition is computed once and then looked up. When the
 * states exceed a bound, all are dropped, so that memory is bounded for every pattern and text.
 */
import type { CharacterClass, Program } from './program.ts'

/** The result of a transition over one character class. */
interface Step {
  items: number[]
  /** Kind of the character, which the assertions at the next position need. */
  kind: number
  /** A match ends (forwards) or starts (backwards) at the position before this character. */
  isMarked: boolean
  /** Number of instructions visited. */
  work: number
}

/** A list of instructions, and the kind of the character before the position (forwards) or after it (backwards). */
export interface State {
  readonly items: readonly number[]
  readonly kind: number
}

export type MakeStep = (items: readonly number[], kind: number, symbol: CharacterClass) => Step

/** Table entry: a transition that has not been computed yet. */
export const unknown = -1
/** Table entry: an unmarked transition to the dead state, which has no instructions. */
const nowhere = -3
/** Offset of the dead state. */
export const dead = 0
/** Table entry: a marked transition to the dead state. Entries up to this one end the fast loop. */
export const markedEnd = 1

/** Offset of the state that a table entry leads to. */
export const offsetOfEdge = (edge: number): number => (edge === nowhere ? dead : edge >> 1)
/** States below this number are the dead state and the start states, one per kind. */
export const firstOther = 5

const nothing: State = { items: [], kind: 0 }

/** Keeps the table below a few megabytes: fewer states for more character classes. */
const mostStates = 10_000
const mostEntries = 1 << 19
const mostItems = 1 << 16
const fewestStates = 64

/** Cost of computing a transition, in look-ups. */
const workOfStep = 60
const workOfInstruction = 8

export class Automaton {
  /**
   * Transitions, at a state's offset (its number times the stride) plus the character class: twice the next state's
   * offset, plus one when the transition is marked. Everything the fast loop must stop at is odd, including
   * {@link unknown} and {@link nowhere}.
   */
  table: Int32Array
  readonly stride: number
  /** Total cost of the transitions computed so far, in look-ups. */
  work = 0
  readonly #makeStep: MakeStep
  readonly #home: readonly number[]
  readonly #mostStates: number
  #states: State[] = []
  #offsets = new Map<string, number>()
  #itemCount = 0

  /** @param home instructions of the start states */
  constructor(program: Program, home: readonly number[], makeStep: MakeStep) {
    this.stride = program.border + 1
    this.#home = home
    this.#makeStep = makeStep
    this.#mostStates = Math.min(mostStates, Math.max(fewestStates, Math.floor(mostEntries / this.stride)))
    this.table = new Int32Array(this.stride * 8).fill(unknown)
    this.#forget()
  }

  /** Offset of a state, valid until the next call of this method or of `build` by any search on this automaton. */
  offsetOf(state: State): number {
    const { items, kind } = state
    if (items.length === 0) return dead
    const key = `${kind},${items.join()}`
    const known = this.#offsets.get(key)
    if (known !== undefined) return known
    if (this.#states.length >= this.#mostStates || this.#itemCount > mostItems) this.#forget()
    const offset = this.#states.length * this.stride
    this.#states.push(state)
    this.#offsets.set(key, offset)
    this.#itemCount += items.length
    this.#reserve(offset + this.stride)
    return offset
  }

  stateAt(offset: number): State {
    return this.#states[offset / this.stride] ?? nothing
  }

  /** Computes a missing transition, stores it in the table and returns its entry. */
  build(offset: number, symbol: CharacterClass): number {
    const { items, kind } = this.stateAt(offset)
    const step = this.#makeStep(items, kind, symbol)
    this.work += workOfStep + workOfInstruction * (step.work + items.length + step.items.length)
    const before = this.#states
    const next = this.offsetOf({ items: step.items, kind: step.kind })
    const edge = step.isMarked ? next * 2 + 1 : next === dead ? nowhere : next * 2
    // After all states were dropped, this one has another offset or none.
    if (before === this.#states) this.table[offset + symbol] = edge
    return edge
  }

  #forget(): void {
    this.#states = [nothing]
    this.#offsets = new Map()
    this.#itemCount = 0
    this.table.fill(unknown)
    for (let kind = 0; kind < firstOther - 1; kind++) this.offsetOf({ items: this.#home, kind })
  }

  #reserve(entries: number): void {
    if (entries <= this.table.length) return
    const larger = new Int32Array(this.table.length * 2).fill(unknown)
    larger.set(this.table)
    this.table = larger
  }
}
