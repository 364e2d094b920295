/**
 * Node behaviour that the chunk writer relies on: Node reads `chunkedEncoding` at each write, and writes the last chunk
 * if it is on.
 */
import { expect } from 'chai'
import { createChunkWriter } from '#core/server/node/chunk-writer'
import { until } from '../../../support/until.ts'
import { openRawServer, type RawServer, request } from './raw-server.ts'

describe('the chunk writer', () => {
  let raw: RawServer
  afterEach(() => raw.close())

  async function answered(head: string): Promise<string> {
    raw = await openRawServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      const { write, end } = createChunkWriter(res)
      write(Buffer.from('hello'))
      write(Buffer.alloc(0))
      write(Buffer.from('x'.repeat(17)))
      end()
    })
    raw.socket.write(head)
    await until('the body is over', () => raw.received().endsWith('0\r\n\r\n') || raw.socket.readableEnded)
    return raw.received()
  }

  it('writes the size, the bytes and the line ends once, and one last chunk', async () => {
    const text = await answered(request('/'))
    expect(text).to.match(/\r\ntransfer-encoding: chunked\r\n/i)
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).to.equal(
      `5\r\nhello\r\n11\r\n${'x'.repeat(17)}\r\n0\r\n\r\n`,
    )
  })

  it('writes plain bytes to an HTTP/1.0 client, which does not support chunks', async () => {
    const text = await answered('GET / HTTP/1.0\r\n\r\n')
    expect(text).not.to.match(/transfer-encoding/i)
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).to.equal(`hello${'x'.repeat(17)}`)
  })
})
