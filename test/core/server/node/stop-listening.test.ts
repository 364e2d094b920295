/**
 * Node behaviour that `stopListening` relies on: `net.Server.close` leaves idle connections open, and
 * `http.Server.close` does not.
 */
import { once } from 'node:events'
import { expect } from 'chai'
import { stopListening } from '#core/server/node/stop-listening'
import { until } from '../../../support/until.ts'
import { openRawServer, type RawServer, request } from './raw-server.ts'

describe('a server that stops listening', () => {
  let raw: RawServer
  beforeEach(async () => {
    raw = await openRawServer((_req, res) => res.end('ok'))
    raw.socket.write(request('/first'))
    await until('the connection is idle', () => raw.received().endsWith('ok'))
  })
  afterEach(() => raw.close())

  it('still answers on an idle connection, and resolves when that connection closes', async () => {
    const stopped = stopListening(raw.server)
    expect(raw.server.listening).to.equal(false)
    raw.socket.write(request('/second'))
    await until('the second answer is there', () => raw.received().split('HTTP/1.1 200').length === 3)
    raw.socket.end()
    await stopped
  })

  it('would destroy idle connections with the close method of node:http', async () => {
    const closed = once(raw.socket, 'close')
    raw.server.close()
    await closed
  })
})
