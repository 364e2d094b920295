/** Interim responses of upstreams before the final one. */
import { expect } from 'chai'
import { createLocalServers } from './local-server.js'
import { createCalls, maxBytes, readBody } from './upstream-calls.js'

describe('an unsolicited 100 Continue', () => {
  const servers = createLocalServers()
  const { open, send, closeAll } = createCalls()

  afterEach(async () => {
    await servers.closeAll()
    await closeAll()
  })

  const final = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'
  const interim = 'HTTP/1.1 100 Continue\r\nx-note: early\r\n\r\n'
  const cases: [what: string, pieces: string[], text: string][] = [
    ['together with the response', [interim + final], 'hi'],
    ['before the response', [interim, final], 'hi'],
    ['twice', [interim + interim, final], 'hi'],
    ['byte by byte', [...(interim + final)], 'hi'],
    ['in the body', [`HTTP/1.1 200 OK\r\ncontent-length: ${interim.length}\r\n\r\n`, interim], interim],
  ]
  for (const [what, pieces, text] of cases) {
    it(`is no answer, and the connection stays usable: ${what}`, async () => {
      const { origin, connections } = await servers.tcp((socket) => {
        socket.setNoDelay(true)
        socket.on('data', async (data) => {
          if (!data.includes('POST')) return
          for (const piece of pieces) await new Promise<unknown>((resolve) => socket.write(piece, resolve))
        })
      })
      const agent = open({ connections: 1 })
      for (let call = 0; call < 2; call += 1) {
        const answer = await send(origin, agent)
        expect(answer.status).to.equal(200)
        expect(String(await readBody(answer, maxBytes))).to.equal(text)
      }
      expect(connections()).to.equal(1)
    })
  }
})
