/** Texts that many entries share, by number: a column of one or two bytes in place of a text. */
import { maxLogNameChars } from '@gateway/core/domain'
import { sql } from 'kysely'
import { chunk } from '../chunk.ts'
import type { Engine, Queries } from '../database.ts'
import { clean } from '../document-rows.ts'
import { insertRows, type RowInsert } from '../rows.ts'

/** More names than these are looked up anew. */
const maxKnown = 50_000

const nameInsert: RowInsert = { table: 'log_names', columns: ['name'], onConflict: 'do nothing' }

export interface LogNames {
  /** Numbers of names, which are made where they are missing. Kept once the transaction is committed: {@link keep}. */
  number(queries: Queries, names: Iterable<string>): Promise<ReadonlyMap<string, number>>
  keep(numbers: ReadonlyMap<string, number>): void
  /** Numbers of those names that there are. */
  find(queries: Queries, names: Iterable<string>): Promise<ReadonlyMap<string, number>>
  /** Names of numbers. */
  read(queries: Queries, numbers: Iterable<number>): Promise<ReadonlyMap<number, string>>
}

/** A name as it is stored. */
export const storedName = (name: string): string =>
  clean(name.length > maxLogNameChars ? name.slice(0, maxLogNameChars) : name)

export function createLogNames(engine: Engine): LogNames {
  const numbers = new Map<string, number>()
  const names = new Map<number, string>()

  function keep(found: ReadonlyMap<string, number>): void {
    if (numbers.size + found.size > maxKnown) {
      numbers.clear()
      names.clear()
    }
    for (const [name, number] of found) {
      numbers.set(name, number)
      names.set(number, name)
    }
  }

  /** What is known, and what is to be asked for. */
  function divide(wanted: Iterable<string>): [known: Map<string, number>, unknown: string[]] {
    const known = new Map<string, number>()
    const unknown = new Set<string>()
    for (const name of wanted) {
      const number = numbers.get(name)
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
      // In one order, so that two processes that add the same names do not wait for each other in a circle.
      await insertRows(engine, queries, nameInsert, unknown)
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
        const name = names.get(number)
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
