/** Node behaviour that `responseInProgress` relies on: a socket refers to the response that is being written. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { responseInProgress } from '#core/server/node/response-in-progress'
import { until } from '../../../support/until.ts'
import { openRawServer, type RawServer, request } from './raw-server.ts'

describe('the response in progress on a connection', () => {
  let raw: RawServer
  afterEach(() => raw.close())

  it('is the one passed to the request listener, until it has ended', async () => {
    const seen: { before: boolean; res: ServerResponse }[] = []
    raw = await openRawServer((req, res) => {
      seen.push({ before: responseInProgress(req.socket) === res, res })
      res.end('ok')
      res.once('close', () => expect(responseInProgress(req.socket)).to.equal(null))
    })
    raw.socket.write(request('/1'))
    await until('the answer is there', () => raw.received().endsWith('ok'))
    expect(seen.map(({ before }) => before)).to.deep.equal([true])
    await until('nothing is in progress', () => seen[0]?.res.closed === true)
  })
})
