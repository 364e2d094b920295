/** Callers who delete the files with their batch's usage before the gateway has read it. */
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { ask, makeKey, messageAnswer, usageOfKey } from './fixtures.ts'
import { chatLine, jsonl, openProviderGateway, type ProviderGateway } from './provider-gateway.ts'

const hourMs = 3_600_000

describe("deleting the results of a provider's batch", () => {
  let opened: ProviderGateway
  before(async () => {
    opened = await openProviderGateway(hourMs)
  })
  after(() => opened.close())

  const newKey = () => makeKey(opened.gateway, { usage_limits: { type: 'tokens', credit_limit: 1_000_000 } })
  const usageOf = (id: string) => usageOfKey(opened.gateway, id)
  const looksAt = (path: string) =>
    opened.provider.seen.filter(({ method, path: seen }) => method === 'GET' && seen === path).length
  /** The watcher has begun its first poll; the next one is an hour later. */
  const firstLook = (path: string) => until('the batch was looked at', () => looksAt(path) > 0)

  it('charges an ended message batch first', async () => {
    const { id, key } = await newKey()
    const headers = { 'x-gateway-api-key': key, 'x-gateway-virtual-key': 'claude' }
    const { answer } = opened.provider
    opened.provider.answer = messageAnswer('ok', 1000, 500)
    try {
      const created = await ask(opened.gateway, 'POST /v1/messages/batches', {
        headers,
        body: {
          requests: [
            {
              custom_id: 'a',
              params: {
                model: 'claude-sonnet-4-6',
                max_tokens: 10,
                messages: [{ role: 'user', content: 'hi' }],
              },
            },
          ],
        },
      })
      const path = `/v1/messages/batches/${created.body.id}`
      await firstLook(path)
      opened.provider.finish()
      const deleted = await ask(opened.gateway, `DELETE ${path}`, { headers })
      expect(deleted.status, JSON.stringify(deleted.body)).to.equal(200)
      expect(deleted.body.type).to.equal('message_batch_deleted')
      await until('the batch is charged', async () => (await usageOf(id)) === 1500)
    } finally {
      opened.provider.answer = answer
    }
  })

  const casesOfFile: [when: string, isHeld: boolean][] = [
    ['between two polls', false],
    ['during a poll', true],
  ]
  for (const [when, isHeld] of casesOfFile)
    it(`charges a batch first when its output file is deleted ${when}`, async () => {
      const { id, key } = await newKey()
      const headers = { 'x-gateway-api-key': key, 'x-gateway-virtual-key': 'up' }
      const bytes = Buffer.from(jsonl([chatLine('a'), chatLine('b')]))
      opened.provider.files.set('file-mine', { id: 'file-mine', purpose: 'batch', filename: 'w', bytes })
      const answerPoll = isHeld ? opened.provider.holdNextRead() : () => undefined
      const created = await ask(opened.gateway, 'POST /v1/batches', {
        headers,
        body: { input_file_id: 'file-mine', completion_window: '24h', endpoint: '/v1/chat/completions' },
      })
      expect(created.status, JSON.stringify(created.body)).to.equal(200)
      const path = `/v1/batches/${created.body.id}`
      await firstLook(path)
      opened.provider.finish()
      const { body: ended } = await ask(opened.gateway, `GET ${path}`, { headers })
      const deleting = ask(opened.gateway, `DELETE /v1/files/${ended.output_file_id}`, { headers })
      await until('the deletion asks for the batch', () => looksAt(path) >= 3)
      answerPoll()
      const deleted = await deleting
      expect(deleted.status, JSON.stringify(deleted.body)).to.equal(200)
      await until('the batch is charged', async () => (await usageOf(id)) === 3000)
    })
})
