/**
 * Mocha runs these before the tests of any file (`.mocharc.cjs`). The HTTP client makes one timer when it is first used
 * and keeps it: first used while a test has stopped the clock, it would never notice again that an answer is late.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Canceller } from '#core/flow/cancellation'
import { createUpstreamAgent } from '#core/upstream/agent'
import { createHostGuard } from '#core/upstream/host-guard'

let called: Promise<void> | undefined

async function callOnce(): Promise<void> {
  const server = createServer((_request, response) => response.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = createUpstreamAgent({ guard: createHostGuard({ trustedHosts: ['127.0.0.1'] }) })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { body } = await agent.send({ method: 'GET', url, headers: {}, body: null }, new Canceller())
  body.destroy()
  await agent.close()
  server.closeAllConnections()
  server.close()
}

export const mochaHooks = {
  beforeAll: () => {
    called ??= callOnce()
    return called
  },
}
