/** A batch is submitted to its provider once, even if the answer was lost. */
import { expect } from 'chai'
import { type Json, messageAnswer } from './fixtures.ts'
import { chatLine, isOver, openProviderGateway, type ProviderGateway } from './provider-gateway.ts'

const message = messageAnswer('bonjour', 7, 3)

describe('a batch whose submission got no answer', () => {
  let opened: ProviderGateway
  before(async () => {
    opened = await openProviderGateway()
  })
  after(() => opened.close())
  afterEach(() => opened.provider.batches.clear())
  const ends = async (id: unknown) => {
    await opened.submitted(id)
    opened.provider.finish()
    return opened.until(id, isOver)
  }

  it('is found by its metadata when the provider stores metadata', async () => {
    const { provider } = opened
    provider.nextCreate = 'answer lost'
    const { body } = await opened.create([chatLine('a')], { headers: { 'x-gateway-virtual-key': 'up' } })
    expect(await ends(body.id)).to.deep.include({
      status: 'completed',
      request_counts: { total: 1, completed: 1, failed: 0 },
    })
    expect(provider.batches.size).to.equal(1)
  })

  describe('as a Message Batch', () => {
    const headers = { 'x-gateway-virtual-key': 'claude' }
    const lines = ['a', 'b'].map((id) => chatLine(id, 'hi', { model: 'claude-sonnet-4-6' }))
    before(() => {
      opened.provider.answer = message
    })

    it('is found by its time and its number of requests', async () => {
      const { provider } = opened
      provider.nextCreate = 'answer lost'
      const { body } = await opened.create(lines, { headers })
      expect(await ends(body.id)).to.deep.include({
        status: 'completed',
        request_counts: { total: 2, completed: 2, failed: 0 },
      })
      expect(provider.batches.size).to.equal(1)
    })

    it('is submitted again when the batch that was found is a different one', async () => {
      const { provider } = opened
      const other = ['x', 'y'].map((custom_id) => ({ custom_id, params: { model: 'claude-sonnet-4-6' } }))
      const { id: foreign } = provider.addMessageBatch(other)
      provider.nextCreate = 'request lost'
      const { body } = await opened.create(lines, { headers })
      const found = await opened.submitted(body.id)
      expect((found.provider_details as Json).batch_id).to.equal(foreign)
      provider.finish()
      const isOwn = ({ provider_details: details }: Json) =>
        ![null, undefined, foreign].includes((details as Json | null)?.batch_id as string)
      await opened.until(body.id, isOwn)
      provider.finish()
      expect(await opened.until(body.id, isOver)).to.deep.include({
        status: 'completed',
        request_counts: { total: 2, completed: 2, failed: 0 },
      })
      expect(provider.batches.size).to.equal(2)
    })

    it('is not confused with another batch of the gateway', async () => {
      const { provider } = opened
      const first = await opened.create(lines, { headers })
      await opened.submitted(first.body.id)
      provider.nextCreate = 'answer lost'
      const second = await opened.create(lines, { headers })
      const details = (await opened.submitted(second.body.id)).provider_details as Json
      const theirs = provider.batches.get(String(details.batch_id)) as { requests: { custom_id: string }[] }
      const mark = String(second.body.id)
        .replace(/^gwbatch-/, '')
        .replaceAll('-', '')
      expect(theirs.requests[0]?.custom_id).to.equal(`${mark}-1`)
      provider.finish()
      await opened.until(second.body.id, isOver)
      expect(provider.batches.size).to.equal(2)
    })
  })
})
