/** One gateway and one local server that plays any vendor. */
import type { ServerResponse } from 'node:http'
import type { InferenceEndpoint, JsonObject, ProviderAdapter } from '@gateway/contract'
import { configHeader, startGateway, type TestGateway } from '../support/gateway.ts'
import { type Reply, readReply } from '../support/scene.ts'
import { openUpstream, type SeenRequest, type Upstream } from '../support/upstream.ts'
import { bodies, routes } from './provider-said.ts'
import { secret, storedCredentials, targetOf } from './provider-settings.ts'
import type { PlayedCall, Vendor, VendorAnswer } from './vendors/vendor.ts'

/** An endpoint of an adapter, a model that it is called with, and the vendor behind it. */
export interface Played {
  adapter: ProviderAdapter
  endpoint: InferenceEndpoint
  model: string
  dialect: string
  vendor: Vendor
}

export interface ProviderScene {
  /** Sets the vendor's answers to the calls of this test; the last setting applies. */
  play(answer: (call: PlayedCall) => VendorAnswer, options?: { cutAfter?: number }): void
  /** Sends the smallest body of the endpoint with these members through the gateway. */
  ask(played: Played, body?: JsonObject, config?: Record<string, unknown>): Promise<Reply>
  /** Calls another path of the gateway with this body and the model. */
  send(played: Played, path: string, body: JsonObject): Promise<Reply>
  /** The requests that reached the vendor since the test began. */
  seen(): readonly SeenRequest[]
  /** The last call that reached it. */
  call(played: Played): PlayedCall
}

/** Opens both before the tests of this block, and closes them after. */
export function openProviderScene(): ProviderScene {
  let gateway: TestGateway
  let upstream: Upstream
  let from = 0
  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway({ providers: storedCredentials(upstream.origin) })
  })
  beforeEach(() => {
    from = upstream.seen.length
  })
  after(async () => {
    await upstream.close()
    await gateway.stop()
  })
  const seen = () => upstream.seen.slice(from)
  let current: Played | null = null
  async function send(
    played: Played,
    path: string,
    { body, config = {} }: { body: JsonObject; config?: Record<string, unknown> },
  ) {
    current = played
    const target = { ...targetOf(played.adapter.name, upstream.origin), ...config }
    return readReply(await gateway.post(path, { model: played.model, ...body }, configHeader(target)))
  }
  return {
    seen,
    play(answer, { cutAfter } = {}) {
      upstream.handle((request, response) => {
        if (current === null) throw new Error('Nobody asked.')
        const { adapter, endpoint, model } = current
        return write(answer({ adapter: adapter.name, endpoint, model, request }), response, cutAfter)
      })
    },
    ask(played, body = {}, config = {}) {
      const { endpoint } = played
      return send(played, routes[endpoint], { body: { ...bodies[endpoint], ...body }, config })
    },
    send: (played, path, body) => send(played, path, { body }),
    call({ adapter, endpoint, model }) {
      const request = seen().at(-1)
      if (request === undefined) throw new Error('Nothing reached the vendor.')
      return { adapter: adapter.name, endpoint, model, request }
    },
  }
}

async function write(answer: VendorAnswer, response: ServerResponse, cutAfter?: number): Promise<void> {
  response.writeHead(answer.status, answer.headers)
  for (const piece of answer.pieces.slice(0, cutAfter)) {
    await new Promise<void>((resolve) => response.write(piece, () => setImmediate(resolve)))
  }
  // Broken: the written bytes arrive, the end of the body does not.
  if (cutAfter === undefined) response.end()
  else response.socket?.destroySoon()
}

/** Whether a request carries the credential, or a signature made with one. */
export function carriesCredential({ headers, path, text }: SeenRequest): boolean {
  const { authorization = '' } = headers
  return (
    JSON.stringify([headers, path, text]).includes(secret) ||
    /^(AWS4-HMAC-SHA256|Signature) /.test(authorization)
  )
}
