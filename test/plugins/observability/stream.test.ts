/** GET `/logs/stream`: new entries as they come, filtered, without bodies. */
import { expect } from 'chai'
import { adminKey } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { callEcho } from './support.ts'

describe('the log stream', () => {
  const api = openManagement()

  /** Reads until a text has come. */
  async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, wanted: string): Promise<string> {
    let text = ''
    while (!text.includes(wanted)) {
      const { value, done } = await reader.read()
      if (done) break
      text += Buffer.from(value).toString('utf8')
    }
    return text
  }

  it('sends only new entries that match', async () => {
    const response = await fetch(
      `${api.gateway.url}/v1/logs/stream?status_code=200&endpoint_type=chatComplete`,
      {
        headers: { 'x-gateway-api-key': adminKey },
      },
    )
    expect(response.status).to.equal(200)
    expect(response.headers.get('content-type')).to.equal('text/event-stream')
    const reader = response.body?.getReader()
    if (reader === undefined) return expect.fail('no body')
    await readUntil(reader, 'open')
    const refused = await callEcho(api, {}, { body: { model: 'm' } })
    const { id } = await callEcho(api)
    const text = await readUntil(reader, id)
    expect(text).to.include(`event: entry\nid: ${id}\ndata: {"id":"${id}"`)
    expect(text).not.to.include(refused.id)
    expect(text).not.to.include('"request":')
    await reader.cancel()
  })

  it('counts entries above a hundred per second instead of sending them', async () => {
    const response = await fetch(`${api.gateway.url}/v1/logs/stream`, {
      headers: { 'x-gateway-api-key': adminKey },
    })
    const reader = response.body?.getReader()
    if (reader === undefined) return expect.fail('no body')
    await readUntil(reader, 'open')
    const { id } = await callEcho(api)
    const [entry] = await api.gateway.runtime.store.log.read([id])
    if (entry === undefined) return expect.fail('no entry')
    for (let index = 0; index < 350; index += 1) api.gateway.runtime.logs.add(entry)
    const text = await readUntil(reader, 'event: skipped')
    const [, count] = /event: skipped\ndata: \{"count":(\d+)\}/.exec(text) ?? []
    expect(Number(count)).to.be.at.least(100)
    await reader.cancel()
  })

  it('is refused without the scope, and with a search', async () => {
    const workspace = '7d7a5b1c-52fb-5f0e-9c0b-2f6a6d2f1c02'
    const key = await api.people.key({ type: 'workspace-service', workspace, scopes: ['completions.write'] })
    expect((await api.as(key).get('/v1/logs/stream')).status).to.equal(403)
    const searched = await api.get('/v1/logs/stream?search=x')
    expect([searched.status, searched.error.param]).to.deep.equal([400, 'query/search'])
  })
})
