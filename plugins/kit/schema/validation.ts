/**
 * One run of a compiled schema over one value. Work is counted in steps. Every few thousand steps the run pauses and
 * lets the event loop continue. A run that needs more steps than its value's size allows ends with
 * `SchemaTooComplexError`. The outcome of a subschema that several references share is kept for each value, so
 * references cannot multiply the work.
 */
import type { Turns } from '@gateway/contract'
import { SchemaTooComplexError } from './too-complex.ts'

/** The reason why a value is invalid. Only `path` comes from the value; a check must not show it. */
export interface SchemaFault {
  keyword: string
  schemaPath: string
  /** JSON pointer in the value. */
  path: string
  message: string
}

/** Members and items that keywords have already validated, for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Evaluated {
  members: Set<string>
  items: Set<number>
}

/** `evaluated` is null if no keyword of the schema needs it, or if the value is invalid. */
export interface Outcome {
  fault: SchemaFault | null
  evaluated: Evaluated | null
}

/** A subschema and the value that it validates. */
interface Question {
  schema: Subschema
  value: unknown
}

/**
 * Work that pauses: it yields undefined to end a turn, and a question to be resumed with its outcome. The run keeps
 * suspended work in a list, because deep values would otherwise need a deep call stack.
 */
export type Judging<Result> = Generator<Question | undefined, Result, Outcome | undefined>

/** A keyword of a subschema, compiled. */
export interface Keyword {
  judge(value: unknown, run: Validation, evaluated: Evaluated | null): Judging<SchemaFault | null>
}

/** A compiled subschema. */
export interface Subschema {
  /** JSON pointer in the schema, with `#` before it. */
  path: string
  /** Cheap assertions, in the order in which they are tested. */
  assertions: ((value: unknown, run: Validation) => SchemaFault | null)[]
  keywords: Keyword[]
  /** Subschemas that validate the same value. */
  inPlace: Subschema[]
  /** Whether a reference points to it: several paths may then lead to it. */
  isShared: boolean
}

/** Steps of one turn: about a millisecond. */
const stepsOfTurn = 5000
const baseSteps = 50_000
const stepsPerNode = 100
const maxSteps = 2_000_000
const maxDepth = 10_000
/** Outcomes kept in one run. */
const maxKept = 50_000

const fitting: Outcome = { fault: null, evaluated: null }

export class Validation {
  readonly #tracks: boolean
  readonly #root: unknown
  readonly #kept = new Map<Subschema, Map<unknown, Outcome>>()
  #keptCount = 0
  #spent = 0
  #limit = baseSteps
  #isLimitFinal = false
  #turnEnd = stepsOfTurn

  /** @param tracks whether the schema needs the evaluated members and items */
  constructor(root: unknown, tracks: boolean) {
    this.#root = root
    this.#tracks = tracks
  }

  /** Counts steps. Returns true when the turn is over; the caller then yields. */
  spend(steps: number): boolean {
    this.#spent += steps
    if (this.#spent > this.#limit) this.#extend()
    if (this.#spent < this.#turnEnd) return false
    this.#turnEnd = this.#spent + stepsOfTurn
    return true
  }

  /** Validates the whole value. */
  *run(root: Subschema): Turns<SchemaFault | null> {
    const suspended = [this.#judge(root, this.#root)]
    let outcome: Outcome | undefined
    for (let latest = suspended.at(-1); latest !== undefined; latest = suspended.at(-1)) {
      const step = latest.next(outcome)
      outcome = undefined
      if (step.done === true) {
        outcome = step.value
        suspended.pop()
      } else if (step.value === undefined) yield
      else if (suspended.length === maxDepth)
        throw new SchemaTooComplexError(`the value is nested deeper than ${maxDepth} subschemas`)
      else suspended.push(this.#judge(step.value.schema, step.value.value))
    }
    return outcome?.fault ?? null
  }

  *evaluate(schema: Subschema, value: unknown): Judging<Outcome> {
    if (this.spend(1 + schema.assertions.length)) yield
    const known = schema.isShared ? this.#kept.get(schema)?.get(value) : undefined
    if (known !== undefined) return known
    if (schema.keywords.length > 0) return (yield { schema, value }) ?? fitting
    const fault = this.#assert(schema, value)
    return fault === null ? fitting : { fault, evaluated: null }
  }

  *#judge(schema: Subschema, value: unknown): Judging<Outcome> {
    const evaluated = this.#tracks ? { members: new Set<string>(), items: new Set<number>() } : null
    let fault = this.#assert(schema, value)
    for (const keyword of schema.keywords) {
      if (fault !== null) break
      if (this.spend(1)) yield
      fault = yield* keyword.judge(value, this, evaluated)
    }
    const outcome = fault === null ? { fault, evaluated } : { fault, evaluated: null }
    if (schema.isShared) this.#keep(schema, value, outcome)
    return outcome
  }

  #assert(schema: Subschema, value: unknown): SchemaFault | null {
    for (const assertion of schema.assertions) {
      const fault = assertion(value, this)
      if (fault !== null) return fault
    }
    return null
  }

  /** Validates the same value against a subschema, and adopts the members and items that it has evaluated. */
  *inPlace(schema: Subschema, value: unknown, into: Evaluated | null): Judging<SchemaFault | null> {
    const { fault, evaluated } = yield* this.evaluate(schema, value)
    if (into === null || evaluated === null) return fault
    if (this.spend(evaluated.members.size + evaluated.items.size)) yield
    for (const name of evaluated.members) into.members.add(name)
    for (const index of evaluated.items) into.items.add(index)
    return fault
  }

  /** Validates a member or an item. The error's path begins with its name. */
  *below(schema: Subschema, value: unknown, name: string | number): Judging<SchemaFault | null> {
    const { fault } = yield* this.evaluate(schema, value)
    return fault === null ? null : { ...fault, path: `/${escapeName(name)}${fault.path}` }
  }

  #keep(schema: Subschema, value: unknown, outcome: Outcome): void {
    if (this.#keptCount >= maxKept) return
    this.#keptCount += 1
    const byValue = this.#kept.get(schema) ?? new Map<unknown, Outcome>()
    this.#kept.set(schema, byValue.set(value, outcome))
  }

  /** The size of the value is counted only for a run that needs more than the base. */
  #extend(): void {
    if (!this.#isLimitFinal) {
      this.#isLimitFinal = true
      const mostNodes = (maxSteps - baseSteps) / stepsPerNode
      this.#limit = baseSteps + stepsPerNode * countNodes(this.#root, mostNodes)
    }
    if (this.#spent > this.#limit)
      throw new SchemaTooComplexError('the value takes too many steps to be validated')
  }
}

/** Runs the turns of other work as part of a run. */
export function* inTurns<Result>(turns: Turns<Result>): Judging<Result> {
  for (;;) {
    const step = turns.next()
    if (step.done === true) return step.value
    yield
  }
}

export const escapeName = (name: string | number): string =>
  String(name).replaceAll('~', '~0').replaceAll('/', '~1')

/** Counts the values in a JSON value, up to `limit`. */
function countNodes(root: unknown, limit: number): number {
  let count = 0
  const open = [root]
  while (open.length > 0 && count < limit) {
    count += 1
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const member of Object.values(value)) {
      if (open.length + count >= limit) return limit
      open.push(member)
    }
  }
  return count
}
