/** The reason phrases of 246 and 446, which Node does not know. */
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { addStatusPhrases } from '#core/server/node/status-phrases'

describe('reason phrases', () => {
  for (const [status, phrase] of [
    [246, 'Guardrail Failed'],
    [446, 'Guardrail Denied'],
    [200, 'OK'],
  ] as const)
    it(`Node answers ${status} with "${phrase}"`, async () => {
      addStatusPhrases()
      const server = createServer((_, response) => response.writeHead(status).end())
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      try {
        const message = await new Promise((resolve, reject) => {
          get({ port, host: '127.0.0.1', agent: false }, (response) => {
            response.resume()
            resolve(response.statusMessage)
          }).on('error', reject)
        })
        expect(message).to.equal(phrase)
      } finally {
        server.close()
      }
    })
})
