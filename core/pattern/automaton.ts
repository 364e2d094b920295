/**
 * An automaton that is built while it runs: a state is a list of instructions, and a step that was made once is a
 * look-up from then on. States beyond a bound are forgotten, all at once, so that memory is bounded whatever the
 * pattern and the text.
 */
import type { CharacterClass, Program } from './program.ts'

/** What a step over a symbol leads to. */
export interface Step {
  items: number[]
  /** Kind of the symbol, which the conditions of the next position ask for. */
  kind: number
  /** A match ends (forwards) or begins (backwards) where the step started. */
  isMarked: boolean
  /** Instructions that were looked at. */
  work: number
}

/** A list of instructions, and the kind of what stands before (forwards) or behind (backwards). */
export interface State {
  readonly items: readonly number[]
  readonly kind: number
}

export type MakeStep = (items: readonly number[], kind: number, symbol: CharacterClass) => Step

/** In the table: a step that was not made yet. */
export const unknown = -1
/** In the table: an unmarked step to the state without instructions, in which nothing can be found any more. */
export const nowhere = -3
/** The offset of that state. */
export const dead = 0
/** In the table: a marked step to it. Edges that are not above lead nowhere, or are not known. */
export const markedEnd = 1

/** Where a step of the table leads. */
export const offsetOfEdge = (edge: number): number => (edge === nowhere ? dead : edge >> 1)
/** The states below are dead, or the ones in which a search begins, one a kind. */
export const firstOther = 5

const nothing: State = { items: [], kind: 0 }

/** Some megabytes at most; fewer states where the classes of characters are many. */
const mostStates = 10_000
const mostEntries = 1 << 19
const mostItems = 1 << 16
const fewestStates = 64

/** What a step that was not made before costs, compared with a look-up. */
const workOfStep = 60
const workOfInstruction = 8

export class Automaton {
  /**
   * Steps, at a state's offset (its number times the stride) plus the symbol: twice the next state's offset, plus one
   * when the step is marked. All that asks for a closer look is odd: {@link unknown} and {@link nowhere}, too.
   */
  table: Int32Array
  readonly stride: number
  /** What was spent on steps that were not made before, in look-ups. */
  work = 0
  readonly #makeStep: MakeStep
  readonly #home: readonly number[]
  readonly #mostStates: number
  #states: State[] = []
  #offsets = new Map<string, number>()
  #itemCount = 0

  /** @param home the list with which a search begins */
  constructor(program: Program, home: readonly number[], makeStep: MakeStep) {
    this.stride = program.border + 1
    this.#home = home
    this.#makeStep = makeStep
    this.#mostStates = Math.min(mostStates, Math.max(fewestStates, Math.floor(mostEntries / this.stride)))
    this.table = new Int32Array(this.stride * 8).fill(unknown)
    this.#forget()
  }

  /** The offset of a state; it holds until the next call of this method or of `build`, by whoever runs here too. */
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

  /** Makes the step that the table does not have yet, and gives what stands there from now on. */
  build(offset: number, symbol: CharacterClass): number {
    const { items, kind } = this.stateAt(offset)
    const step = this.#makeStep(items, kind, symbol)
    this.work += workOfStep + workOfInstruction * (step.work + items.length + step.items.length)
    const before = this.#states
    const next = this.offsetOf({ items: step.items, kind: step.kind })
    const edge = step.isMarked ? next * 2 + 1 : next === dead ? nowhere : next * 2
    // When all was forgotten meanwhile, the state has another offset, or none.
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
