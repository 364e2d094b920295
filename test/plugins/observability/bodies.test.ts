/** Stored bodies: `logs.bodies`, `logs.max_body`, media, and redactions (fine print, Logs). */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { callEcho } from './support.ts'

type Entry = Record<string, Record<string, unknown> | null>
const headers = { 'x-gateway-metadata': JSON.stringify({ _user: 'ann', team: 'core' }) }
const redacts = {
  'x-gateway-config': JSON.stringify({
    provider: 'echo',
    before_request_hooks: [
      {
        id: 'hide',
        type: 'mutator',
        checks: [{ id: 'default.regexReplace', parameters: { rule: 'canary-\\d+', redactText: '[gone]' } }],
      },
    ],
  }),
}

for (const bodies of ['full', 'metadata', 'none'] as const) {
  describe(`logs.bodies: ${bodies}`, () => {
    const api = openManagement({ logs: { bodies, max_body: '2kb' } })

    it('stores exactly those bodies', async () => {
      const { id } = await callEcho(api, headers, { body: chat(), path: '/v1/chat/completions?beta=1' })
      const entry = (await api.get(`/v1/logs/${id}`)).body as Entry
      const isFull = bodies === 'full'
      expect(entry.request?.body === null).to.equal(!isFull)
      expect(entry.response?.body === null).to.equal(!isFull)
      expect(entry.request?.headers === null).to.equal(bodies === 'none')
      expect(entry.metadata).to.deep.equal(
        bodies === 'none' ? { _user: 'ann' } : { _user: 'ann', team: 'core' },
      )
      expect(String(entry.request_url).includes('beta')).to.equal(bodies !== 'none')
      const found = await api.get('/v1/logs?search=HELLO')
      expect(found.body.total).to.equal(isFull ? 1 : 0)
    })
  })
}

describe('bodies in logs', () => {
  const api = openManagement({ logs: { max_body: '2kb' } })
  const entryOf = async (body: unknown, more: Record<string, string> = {}) => {
    const { id } = await callEcho(api, more, { body })
    return (await api.get(`/v1/logs/${id}`)).body as Entry
  }

  it('are truncated, and marked as truncated', async () => {
    const { request } = await entryOf(chat('x'.repeat(5000)))
    expect(request?.body_truncated).to.equal(true)
    expect(String(request?.body)).to.match(/^\{"model".*x$/)
    expect(Buffer.byteLength(String(request?.body))).to.be.at.most(2048)
  })

  it('contain a hash instead of media', async () => {
    const bytes = Buffer.from('an image of sorts')
    const image_url = { url: `data:image/png;base64,${bytes.toString('base64')}` }
    const audio = { data: bytes.toString('base64'), format: 'wav' }
    const { request } = await entryOf({
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what?' },
            { type: 'image_url', image_url },
            { type: 'input_audio', input_audio: audio },
          ],
        },
      ],
    })
    const mark = `[media ${createHash('sha256').update(bytes).digest('hex')} ${bytes.length}]`
    const text = JSON.stringify(request?.body)
    expect(text.split(mark)).to.have.length(3)
    expect(text).not.to.include(bytes.toString('base64'))
  })

  it('contain no text that a mutator removed, unless the original is enabled', async () => {
    const entry = await entryOf(chat('say canary-123 now'), redacts)
    expect(JSON.stringify(entry.request?.body)).to.include('[gone]')
    expect(JSON.stringify({ ...entry, request: entry.request?.body })).not.to.include('canary-123')
    await api.gateway.writeConfig({ logs: { keep_original: true } })
    await api.gateway.reload()
    const kept = await entryOf(chat('say canary-123 now'), redacts)
    expect(JSON.stringify(kept.request?.body)).to.include('canary-123')
    expect(JSON.stringify(kept.transformed_request)).to.include('[gone]')
  })
})
