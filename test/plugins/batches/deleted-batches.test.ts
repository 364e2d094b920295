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
  /** The watcher has polled once, and waits until its next poll. */
  const firstLook = (path: string) =>
    until('the batch was looked at', async () =>
      opened.provider.seen.some(({ method, path: seen }) => method === 'GET' && seen === path),
    )

  it('charges an ended message batch first', async () => {
    const { id, key } = await newKey()
    const headers = { 'x-gateway-api-key': key, 'x-gateway-virtual-key': 'claude' }
    const { answer } = opened.provider
    opened.provider.answer = messageAnswer('ok', 1000, 500)
    try {
      const created = await ask(opened.gateway, 'POST', '/v1/messages/batches', {
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
      const deleted = await ask(opened.gateway, 'DELETE', path, { headers })
      expect(deleted.status, JSON.stringify(deleted.body)).to.equal(200)
      expect(deleted.body.type).to.equal('message_batch_deleted')
      await until('the batch is charged', async () => (await usageOf(id)) === 1500)
    } finally {
      opened.provider.answer = answer
    }
  }).timeout(20_000)

  it('charges a batch first when its output file is deleted', async () => {
    const { id, key } = await newKey()
    const headers = { 'x-gateway-api-key': key, 'x-gateway-virtual-key': 'up' }
    const bytes = Buffer.from(jsonl([chatLine('a'), chatLine('b')]))
    opened.provider.files.set('file-mine', { id: 'file-mine', purpose: 'batch', filename: 'w', bytes })
    const created = await ask(opened.gateway, 'POST', '/v1/batches', {
      headers,
      body: { input_file_id: 'file-mine', completion_window: '24h', endpoint: '/v1/chat/completions' },
    })
    expect(created.status, JSON.stringify(created.body)).to.equal(200)
    const path = `/v1/batches/${created.body.id}`
    await firstLook(path)
    opened.provider.finish()
    const { body: ended } = await ask(opened.gateway, 'GET', path, { headers })
    const deleted = await ask(opened.gateway, 'DELETE', `/v1/files/${ended.output_file_id}`, { headers })
    expect(deleted.status, JSON.stringify(deleted.body)).to.equal(200)
    await until('the batch is charged', async () => (await usageOf(id)) === 3000)
  }).timeout(20_000)
})
