/** Why `discardRest` is needed: Node leaves the rest of a partially read body on the connection. */
import { Writable } from 'node:stream'
import { expect } from 'chai'
import { discardRest } from '#core/server/node/discard-rest'
import { until } from '../../../support/until.ts'
import { openRawServer, type RawServer, request } from './raw-server.ts'

const size = 300_000
const upload = `POST /upload HTTP/1.1\r\nhost: test\r\ncontent-length: ${size}\r\n\r\n${'x'.repeat(size)}`

describe('a request body that was answered before it arrived completely', () => {
  let raw: RawServer
  afterEach(() => raw.close())

  async function answersAfter(discard: boolean): Promise<string[]> {
    const paths: string[] = []
    let isAnswered = false
    raw = await openRawServer((req, res) => {
      paths.push(req.url ?? '')
      if (req.method !== 'POST') return res.end('next')
      // Reads a little and then stops, like a failed decoder.
      const stalled = new Writable({ highWaterMark: 1, write: () => undefined })
      req.pipe(stalled)
      req.once('data', () => {
        if (discard) discardRest(req)
        res.end('refused', () => {
          isAnswered = true
        })
      })
    })
    raw.socket.write(upload + request('/next'))
    await until('the body is refused', () => isAnswered)
    // The server has now read everything that it will read.
    if (discard) await until('the next request is answered', () => raw.received().endsWith('next'))
    else for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    return paths
  }

  it('lets the next request use the connection with discardRest', async () => {
    expect(await answersAfter(true)).to.deep.equal(['/upload', '/next'])
  })

  it('blocks the connection with plain Node', async () => {
    expect(await answersAfter(false)).to.deep.equal(['/upload'])
  })
})
