/** The command line of the bench, and how much it measures. */
import { parseArgs } from 'node:util'

export const USAGE = `usage: npm run bench -- [--only NAME[,NAME]] [--quick | --record] [--json FILE] [--page]

  --only NAME   only these scenarios; names are in the first column of the table
  --quick       fewer and shorter runs; fails when a ratio is worse than the recorded one by over a fifth
  --record      keeps the figures in docs/performance/figures.json and writes docs/performance.md
  --page        measures nothing: writes docs/performance.md from the recorded figures
  --json FILE   also writes the figures, and every single run, to FILE
  --help        prints this`

/** The extent of the measurements. */
export interface Effort {
  /** Rounds in which the servers take turns. */
  rounds: number
  /** The longest time of one run, on many connections and on one. */
  runMs: number
  singleRunMs: number
  /** Requests, and the longest time, of the run before the first round, which does not count. */
  warmUpRequests: number
  warmUpMs: number
  /** Requests in each half of the memory scenario, and the longest time of a half. */
  memoryRequests: number
  memoryMs: number
  /** Rounds of the scenario with 1,000 streams. */
  longRounds: number
}

const FULL: Effort = {
  rounds: 5,
  runMs: 2500,
  singleRunMs: 1500,
  warmUpRequests: 20_000,
  warmUpMs: 15_000,
  memoryRequests: 100_000,
  memoryMs: 60_000,
  longRounds: 3,
}

const QUICK: Effort = {
  rounds: 2,
  runMs: 700,
  singleRunMs: 500,
  warmUpRequests: 5_000,
  warmUpMs: 3_000,
  memoryRequests: 5_000,
  memoryMs: 5_000,
  longRounds: 1,
}

export interface Options {
  only: readonly string[]
  quick: boolean
  record: boolean
  page: boolean
  jsonFile: string | null
  help: boolean
  effort: Effort
}

/** Reads the arguments; throws a TypeError on an unknown one. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.quick && values.record)
    throw Object.assign(new TypeError('--record needs a full run: leave --quick out.'), {
      code: 'ERR_PARSE_ARGS_CONFLICT',
    })
  return {
    only: (values.only ?? []).flatMap((names) => names.split(',')),
    quick: values.quick,
    record: values.record,
    page: values.page,
    jsonFile: values.json ?? null,
    help: values.help,
    effort: values.quick ? QUICK : FULL,
  }
}
