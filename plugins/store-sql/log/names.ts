/** Texts that many entries share, stored as numbers: a column has one or two bytes instead of a text. */
import { maxLogNameChars } from '@gateway/domain'
import { sql } from 'kysely'
import type { Engine, Queries } from '../database.ts'
import { insertRows, type RowInsert } from '../rows.ts'
import { chunk, clean } from '../values.ts'

/** The number of cached names, up to twice as many at most. Names may come from callers who never return. */
const keptNames = 2000

const nameInsert: RowInsert = { table: 'log_names', columns: ['name'], onConflict: 'do nothing' }

export interface LogNames {
  /**
   * The numbers of names; missing ones are created. Call {@link keep} to cache them once the transaction is committed.
   */
  number(queries: Queries, names: Iterable<string>): Promise<ReadonlyMap<string, number>>
  keep(numbers: ReadonlyMap<string, number>): void
  /** The numbers of existing names. */
  find(queries: Queries, names: Iterable<string>): Promise<ReadonlyMap<string, number>>
  /** The names of numbers. */
  read(queries: Queries, numbers: Iterable<number>): Promise<ReadonlyMap<number, string>>
}

/** A name in its stored form. */
export const storedName = (name: string): string =>
  clean(name.length > maxLogNameChars ? name.slice(0, maxLogNameChars) : name)

interface KnownNames {
  numbers: Map<string, number>
  names: Map<number, string>
}

const emptyNames = (): KnownNames => ({ numbers: new Map(), names: new Map() })

export function createLogNames(engine: Engine): LogNames {
  let younger = emptyNames()
  let older = emptyNames()

  function remember(name: string, number: number): void {
    if (younger.numbers.size >= keptNames) {
      older = younger
      younger = emptyNames()
    }
    younger.numbers.set(name, number)
    younger.names.set(number, name)
  }

  function numberOf(name: string): number | undefined {
    const number = younger.numbers.get(name)
    if (number !== undefined) return number
    const former = older.numbers.get(name)
    if (former !== undefined) remember(name, former)
    return former
  }

  function nameOf(number: number): string | undefined {
    return younger.names.get(number) ?? older.names.get(number)
  }

  function keep(found: ReadonlyMap<string, number>): void {
    for (const [name, number] of found) if (!younger.numbers.has(name)) remember(name, number)
  }

  /** Splits names into cached ones and those to query. */
  function divide(wanted: Iterable<string>): [known: Map<string, number>, unknown: string[]] {
    const known = new Map<string, number>()
    const unknown = new Set<string>()
    for (const name of wanted) {
      const number = numberOf(name)
      if (number === undefined) unknown.add(name)
      else known.set(name, number)
    }
    return [known, [...unknown].sort()]
  }

  async function look(queries: Queries, wanted: readonly string[], into: Map<string, number>) {
    for (const some of chunk(wanted)) {
      const { rows } = await sql<{ id: number; name: string }>`select id, name from log_names
        where name in (${sql.join(some)})`.execute(queries)
      for (const { id, name } of rows) into.set(name, id)
    }
  }

  return {
    keep,
    async number(queries, wanted) {
      const [found, unknown] = divide(wanted)
      if (unknown.length === 0) return found
      // Inserted in a fixed order, so that two processes that add the same names do not deadlock.
      await insertRows({ engine, queries }, nameInsert, unknown)
      await look(queries, unknown, found)
      return found
    },
    async find(queries, wanted) {
      const [found, unknown] = divide([...wanted].map(storedName))
      await look(queries, unknown, found)
      return found
    },
    async read(queries, wanted) {
      const found = new Map<number, string>()
      const unknown = new Set<number>()
      for (const number of wanted) {
        const name = nameOf(number)
        if (name === undefined) unknown.add(number)
        else found.set(number, name)
      }
      for (const some of chunk([...unknown])) {
        const { rows } = await sql<{ id: number; name: string }>`select id, name from log_names
          where id in (${sql.join(some)})`.execute(queries)
        for (const { id, name } of rows) found.set(id, name)
        keep(new Map(rows.map(({ id, name }) => [name, id])))
      }
      return found
    },
  }
}
