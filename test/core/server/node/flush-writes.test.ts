/** Why `flushWrites` is needed: Node holds writes to a response in the corked socket until the next tick. */
import { expect } from 'chai'
import { flushWrites } from '#core/server/node/flush-writes'
import { until } from '../../../support/until.ts'
import { openRawServer, type RawServer, request } from './raw-server.ts'

describe('writes before a connection is destroyed', () => {
  let raw: RawServer
  afterEach(() => raw.close())

  async function received(flush: boolean): Promise<string> {
    raw = await openRawServer((_req, res) => {
      res.writeHead(200)
      res.write('before the cut')
      if (flush) flushWrites(res)
      res.destroy()
    })
    raw.socket.on('error', () => undefined)
    raw.socket.write(request('/'))
    await until('the connection is closed', () => raw.socket.closed)
    return raw.received()
  }

  it('arrive when they are flushed', async () => {
    expect(await received(true)).to.contain('before the cut')
  })

  it('are lost without a flush', async () => {
    expect(await received(false)).to.equal('')
  })
})
