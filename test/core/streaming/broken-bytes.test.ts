import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Context } from 'koa'
import { createTransport } from '#core/server/koa-transport'
import { createBufferBudget, RequestBuffers } from '#flow/buffer-budget'

describe('a binary answer that breaks off at once', () => {
  async function* halves() {
    yield Buffer.from('half')
    throw new Error('broken off')
  }

  const server = createServer((req, res) => {
    const ctx = { req, res, method: 'GET', path: '/' } as unknown as Context
    const buffers = new RequestBuffers(
      createBufferBudget({ settings: { file: { server: { max_buffered_bytes: null } } } }, 1_000_000),
    )
    void createTransport(ctx, { buffers, addressOf: (remote) => remote }).writeStream(
      { status: 200, headers: { 'content-type': 'text/plain', 'content-length': '100' } },
      halves() as never,
      { sent: () => undefined, trailer: null, failed: () => null },
    )
  })
  before((done) => void server.listen(0, '127.0.0.1', done))
  after((done) => void server.close(done))

  it('still returns its headers and the bytes before the break', async () => {
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/`)
    expect(response.status).to.equal(200)
    let text = ''
    let fault: unknown
    try {
      for await (const bytes of response.body ?? []) text += Buffer.from(bytes).toString()
    } catch (error) {
      fault = error
    }
    expect(text).to.equal('half')
    expect(fault).to.be.instanceOf(Error)
  })
})
