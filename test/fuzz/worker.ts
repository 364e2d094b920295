/** Fuzzes one target in a separate thread, so that a parser that never returns can be stopped. */
import { parentPort, workerData } from 'node:worker_threads'
import fc from 'fast-check'
import { targets } from './targets.ts'

export interface Task {
  target: string
  seed: number
  /** The position of a finding among the inputs of the seed; null to search. */
  path: string | null
  budgetMs: number
}

/**
 * `ready`: the parsers are loaded, which takes time on a busy machine; the budget and each input's limit begin then.
 */
export type Message =
  | { kind: 'ready' }
  | { kind: 'started'; input: string }
  | { kind: 'ended'; inputs: number; finding: Finding | null }

export interface Finding {
  /** Minimised by fast-check. */
  input: string
  path: string
  reason: string
}

const { target: name, seed, path, budgetMs } = workerData as Task
const send = (message: Message) => parentPort?.postMessage(message)

const target = targets.find((each) => each.name === name)
if (target === undefined) throw new Error(`There is no target ${name}.`)
send({ kind: 'ready' })
const property = target.property((input) => send({ kind: 'started', input }))
const result = await fc.check(property, {
  seed,
  numRuns: path === null ? 1_000_000_000 : 1,
  interruptAfterTimeLimit: budgetMs,
  ...(path === null ? {} : { path }),
})
const { failed, counterexample, counterexamplePath, errorInstance, numRuns } = result
const isFinding = failed && counterexample !== null
send({
  kind: 'ended',
  inputs: numRuns,
  finding: isFinding
    ? {
        input: fc.stringify(counterexample[0]),
        path: counterexamplePath ?? '',
        reason:
          errorInstance instanceof Error
            ? (errorInstance.stack ?? errorInstance.message)
            : String(errorInstance),
      }
    : null,
})
