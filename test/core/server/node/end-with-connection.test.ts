/**
 * Why `endWithConnection` is needed: when a connection closes, Node before version 24 notifies only the response that
 * it is writing.
 */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { endWithConnection } from '#core/server/node/end-with-connection'
import { until } from '../../../support/until.ts'
import { openRawServer, type RawServer, request } from './raw-server.ts'

describe('pipelined requests on a connection that closes', () => {
  let raw: RawServer
  afterEach(() => raw.close())

  /** Opens three requests without answering them, closes the connection, and lists the responses that were closed. */
  async function closedOf(attach: boolean): Promise<string[]> {
    const closed: string[] = []
    let open = 0
    raw = await openRawServer((req, res: ServerResponse) => {
      const path = req.url ?? ''
      // Like core/server/app.ts, because Node itself closes the response that has the connection.
      const detach = attach && res.socket === null ? endWithConnection(req, res) : null
      res.once('close', () => {
        closed.push(path)
        detach?.()
      })
      open += 1
    })
    raw.socket.write(request('/1') + request('/2') + request('/3'))
    await until('all requests are open', () => open === 3)
    raw.socket.destroy()
    await until('the first response is closed', () => closed.includes('/1'))
    return closed
  }

  it('all receive close with endWithConnection', async () => {
    const closed = await closedOf(true)
    await until('every response is closed', () => closed.length === 3)
    expect(closed).to.have.members(['/1', '/2', '/3'])
  })

  it('also receive close after the earlier responses were sent', async () => {
    const closed: string[] = []
    const responses: ServerResponse[] = []
    raw = await openRawServer((req, res: ServerResponse) => {
      const detach = res.socket === null ? endWithConnection(req, res) : null
      res.once('close', () => {
        closed.push(req.url ?? '')
        detach?.()
      })
      responses.push(res)
    })
    raw.socket.write(request('/1') + request('/2'))
    await until('both requests are open', () => responses.length === 2)
    responses[0]?.end('first')
    await until('the second response has the connection', () => responses[1]?.socket != null)
    raw.socket.destroy()
    await until('both are closed', () => closed.length === 2)
    expect(closed).to.deep.equal(['/1', '/2'])
  })

  it('do not all receive close from Node itself before version 24', async () => {
    const isOfNode = Number(process.versions.node.split('.')[0]) >= 24
    expect(await closedOf(false)).to.deep.equal(isOfNode ? ['/1', '/2', '/3'] : ['/1'])
  })
})
