/**
 * Fuzzes the targets that it is sent, in a separate thread: a parser that never returns can then be stopped. One thread
 * serves many targets, because loading all parsers takes longer than fuzzing one.
 */
import { parentPort } from 'node:worker_threads'
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

const port = parentPort
if (port === null) throw new Error('The fuzzing worker runs in a thread.')
const send = (message: Message) => port.postMessage(message)

async function fuzz({ target: name, seed, path, budgetMs }: Task): Promise<void> {
  const target = targets.find((each) => each.name === name)
  if (target === undefined) throw new Error(`There is no target ${name}.`)
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
}

port.on('message', (task: Task) => void fuzz(task))
send({ kind: 'ready' })
