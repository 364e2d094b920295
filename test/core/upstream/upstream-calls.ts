/** Calls of upstream agents for the tests of this folder. */

import type { UpstreamRequest } from '@gateway/contract'
import { createBufferBudget, RequestBuffers } from '#flow/buffer-budget'
import { type Cancellation, Canceller } from '#flow/cancellation'
import type { UpstreamAnswer } from '#flow/upstream'
import { createUpstreamAgent, type UpstreamAgent, type UpstreamAgentOptions } from '#upstream/agent'
import { readBody as readCounted } from '#upstream/call-io'
import { createHostGuard } from '#upstream/host-guard'

export const maxBytes = 1_000_000

const unlimited = { settings: { file: { server: { max_buffered_bytes: null } } } }
const unbounded = createBufferBudget(unlimited, Number.POSITIVE_INFINITY)

/** The whole body, outside of any request. */
export const readBody = (answer: UpstreamAnswer, most: number): Promise<Buffer> =>
  readCounted(answer, { maxBytes: most, buffers: new RequestBuffers(unbounded) })

export const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

export const post = (url: string): UpstreamRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
  body: '{}',
})

/** A signal that never fires. */
export const unhurried = (): Cancellation => new Canceller()

export interface Calls {
  /** An agent that trusts 127.0.0.1, unless the options say otherwise. */
  open(options?: Partial<UpstreamAgentOptions>): UpstreamAgent
  send(url: string, agent?: UpstreamAgent): Promise<UpstreamAnswer>
  /** The error of a call, or of reading its answer. */
  failureOf(url: string, agent?: UpstreamAgent): Promise<Error>
  /** Closes the agents. */
  closeAll(): Promise<void>
}

export function createCalls(): Calls {
  const agents: UpstreamAgent[] = []
  const calls: Calls = {
    open(options = {}) {
      const guard = createHostGuard({ trustedHosts: ['127.0.0.1'] })
      const agent = createUpstreamAgent({ guard, ...options })
      agents.push(agent)
      return agent
    },
    send: (url, agent = calls.open()) => agent.send(post(url), unhurried()),
    async failureOf(url, agent) {
      const failure: unknown = await calls
        .send(url, agent)
        .then((answer) => readBody(answer, maxBytes))
        .then(
          () => null,
          (error) => error,
        )
      if (!(failure instanceof Error)) throw new Error('the call did not fail')
      return failure
    },
    async closeAll() {
      await Promise.all(agents.splice(0).map((agent) => agent.close()))
    },
  }
  return calls
}
