/** Capabilities for tests that run one function of a service without a gateway. */
import type { Capabilities } from '@gateway/contract'

const nothing = () => undefined

export const quietLog: Capabilities['log'] = { info: nothing, warn: nothing, error: nothing }

/** The work is not awaited. */
export const beginWork: Capabilities['beginWork'] = () => nothing

const unused = (): never => {
  throw new Error('This test does not use it.')
}

/** A log whose queue is flushed, and no more. */
export const flushedBy = (flush: () => Promise<void>): Capabilities['logs'] => ({
  flush,
  add: unused,
  listen: unused,
  price: unused,
  settings: unused,
})

/** Metrics of a gateway without requests. */
export const quietMetrics: Capabilities['metrics'] = {
  batchLine: nothing,
  batches: nothing,
  filesBytes: nothing,
  inferenceInFlight: () => 0,
  telemetryDropped: nothing,
}

/** The answer of a call whose body is not read. */
export function answerOf(status: number): Awaited<ReturnType<Capabilities['send']>> {
  async function* empty<Part>(): AsyncGenerator<Part> {}
  return { status, headers: {}, body: empty(), events: empty, dump: nothing }
}
