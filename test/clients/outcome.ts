import { stripVTControlCharacters } from 'node:util'

/** The outcome of a run: a cell of the matrix. */
export interface Outcome {
  result: 'yes' | 'no' | 'not run'
  /** The reason of a failure, or a count. */
  note?: string
}

/** The run does not hold, for this reason. */
export class Broken extends Error {}

export function must(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new Broken(reason)
}

/** An error's first words, for a cell of a table. */
export const shorten = (text: string, length = 160): string => {
  const plain = stripVTControlCharacters(text).replaceAll(/\S*gateway-client-\w+/g, '~')
  const line = plain.replaceAll(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length)}…` : line
}
