/** Connections beyond `server.max_connections_per_address` are closed as soon as they are accepted, and counted. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '../../support/gateway.ts'

describe('server.max_connections_per_address', () => {
  let gateway: TestGateway
  let sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    sockets = []
    await gateway.stop()
  })

  const open = async (from = '127.0.0.2') => {
    const { port } = new URL(gateway.url)
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: from })
    sockets.push(socket)
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  /** Whether a connection is served. A refused one ends without a byte. */
  const isServed = (socket: Socket) => {
    if (socket.destroyed) return Promise.resolve(false)
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    return new Promise<boolean>((resolve) => {
      socket.once('data', (bytes) => resolve(String(bytes).startsWith('HTTP/1.1 200')))
      socket.once('close', () => resolve(false))
    })
  }
  const refusedCount = async () => {
    const text = await (await gateway.get('/metrics')).text()
    return Number(/^gateway_connections_refused_total (\d+)$/m.exec(text)?.[1] ?? 0)
  }

  it('closes connections of an address above the limit, and serves other addresses', async () => {
    gateway = await startGateway({ server: { max_connections_per_address: 2 } })
    expect(await isServed(await open())).to.equal(true)
    expect(await isServed(await open())).to.equal(true)
    expect(await isServed(await open())).to.equal(false)
    expect(await isServed(await open('127.0.0.3'))).to.equal(true)
    expect(await refusedCount()).to.equal(1)
  })

  it('allows a new connection when another one ends', async () => {
    gateway = await startGateway({ server: { max_connections_per_address: 1 } })
    const first = await open()
    expect(await isServed(first)).to.equal(true)
    expect(await isServed(await open())).to.equal(false)
    first.destroy()
    // The gateway notices the end slightly later than this process does.
    let isAccepted = false
    for (let tries = 0; tries < 1000 && !isAccepted; tries += 1) isAccepted = await isServed(await open())
    expect(isAccepted).to.equal(true)
  })

  it('does not count connections from trusted proxies', async () => {
    const server = { max_connections_per_address: 1, trusted_proxies: ['127.0.0.2'] }
    gateway = await startGateway({ server })
    expect(await isServed(await open())).to.equal(true)
    expect(await isServed(await open())).to.equal(true)
  })

  it('is unlimited by default', async () => {
    gateway = await startGateway()
    for (let count = 0; count < 20; count += 1) expect(await isServed(await open())).to.equal(true)
    expect(await refusedCount()).to.equal(0)
  })
})
