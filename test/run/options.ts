/** The command line of the test run. */
import { parseArgs } from 'node:util'

export interface Options {
  /** `quick` is `npm test`, `all` is `npm run test:all`, `rest` is what `all` adds. */
  part: 'quick' | 'rest' | 'all'
  /** Files and folders below `test/`; empty for all. */
  paths: readonly string[]
  isChanged: boolean
  /** The commit that `--changed` compares with. */
  base: string | null
  grep: string | null
  /** The seed of a failed property. */
  seed: string | null
  path: string | null
  store: string | null
  /** A lane's name, to run it alone; null for all. */
  lane: string | null
  /** Whether the most expensive files of each lane are shown. */
  isTimed: boolean
  /** The time of day at which the run starts by its own clock, such as 23:58 (UTC). */
  at: string | null
}

export const usage = `npm test                          what a change can break, with nothing but Node
npm test -- PATH ...              some test files or folders, such as test/core/routing
npm test -- --changed [--base REV]  tests that reach a changed file
npm run test:all [-- --rest]      everything; --rest: only what npm test leaves out
  --grep TEXT     tests whose full title contains the text
  --store ENGINE  memory, sqlite or postgres, for the management API
  --at HH:MM      shift the clock, so that the run starts at this time of day (UTC); without servers
  --lane NAME     one lane of test/run/lanes.ts
  --times         the processor time of the most expensive files
  --seed N --path P  replay a failed property (with --grep)`

/** @throws Error for an unknown option or a missing value */
export function readOptions(words: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      rest: { type: 'boolean', default: false },
      changed: { type: 'boolean', default: false },
      base: { type: 'string' },
      grep: { type: 'string' },
      seed: { type: 'string' },
      path: { type: 'string' },
      store: { type: 'string' },
      at: { type: 'string' },
      lane: { type: 'string' },
      times: { type: 'boolean', default: false },
    },
  })
  const { base = null, grep = null, seed = null, path = null, store = null, at = null } = values
  if (base !== null && !values.changed) throw new Error('--base goes with --changed.')
  if (path !== null && seed === null) throw new Error('--path goes with --seed.')
  if (store !== null && !['memory', 'sqlite', 'postgres'].includes(store))
    throw new Error('--store must be memory, sqlite or postgres.')
  if (at !== null && !/^([01]\d|2[0-3]):[0-5]\d$/.test(at))
    throw new Error('--at takes a time, such as 23:58.')
  const part = values.rest ? 'rest' : values.all ? 'all' : 'quick'
  const { changed: isChanged, times: isTimed, lane = null } = values
  return { part, paths: positionals, isChanged, base, grep, seed, path, store, lane, isTimed, at }
}
