/** The end, an error or usage after a short or a long event in the same read is always found. */
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { chatChunk, openUpstream, sendEvents, type Upstream } from '../../support/upstream.ts'
import { bytesOf, dataOf, errorCodeOf, piece, textOf } from './events.ts'

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const event = (data: string) => `data: ${data}\n\n`
const done = event('[DONE]')

/** The event after the text, and the part of it that the caller receives. */
const ends: Record<string, { comes: string; isError: boolean }> = {
  'the end': { comes: done + event(piece('late')), isError: false },
  'usage that was not requested': {
    comes: event(JSON.stringify({ ...chatChunk({}), choices: [], usage })) + done,
    isError: false,
  },
  'an error': { comes: event(JSON.stringify({ error: { message: 'no', code: 'broken' } })), isError: true },
  'a named error': { comes: `event: error\n${event('{"message":"no","code":"broken"}')}`, isError: true },
}

describe('a long event in a stream', () => {
  let gateway: TestGateway
  let upstream: Upstream

  before(async () => {
    gateway = await startGateway()
    upstream = await openUpstream()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  for (const length of [1, 4000, 5000, 200_000]) {
    for (const [name, { comes, isError }] of Object.entries(ends)) {
      it(`of ${length} characters does not hide ${name}`, async () => {
        const text = 'x'.repeat(length)
        upstream.handle((_request, response) =>
          sendEvents(response, [event(piece('said ')), event(piece(text)) + comes]),
        )
        const response = await gateway.post(
          '/v1/chat/completions',
          chat('hi', { stream: true }),
          configHeader(target(upstream.url)),
        )
        const events = dataOf(await bytesOf(response))
        expect(textOf(events)).to.equal(`said ${text}`)
        expect(events).to.have.length(3)
        if (isError) expect(errorCodeOf(events.at(-1))).to.equal('broken')
        else expect(events.at(-1)).to.equal('[DONE]')
      })
    }
  }
})
