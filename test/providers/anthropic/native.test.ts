/**
 * Messages as the caller speaks them, at a provider that speaks them itself.
 * Source: https://platform.claude.com/docs/en/api/messages, https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages'
import type { JsonObject } from '@gateway/contract'
import { countTokensDialect, messagesDialect, messagesStream } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createContext } from '../fixtures/context.ts'
import { dataEvent, runStream } from '../fixtures/streams.ts'
import { gatewayErrorOf, upstreamErrorOf } from '../fixtures/thrown.ts'

const context = createContext({ endpoint: 'messages' })

describe('native messages', () => {
  for (const dialect of [messagesDialect, countTokensDialect]) {
    it(`are forwarded as the same objects: ${dialect.name}`, () => {
      const body: JsonObject = { model: 'm', messages: [], novelty: 1 }
      expect(dialect.request(body, context)).to.equal(body)
      expect(dialect.answer(body, context)).to.equal(body)
    })
    it(`fail with the vendor's error: ${dialect.name}`, () => {
      const error = { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } }
      expect(dialect.error?.(429, error, {})).to.include({
        status: 429,
        type: 'rate_limit_error',
        message: 'slow down',
      })
    })
  }

  it('lose only the content blocks of other providers', () => {
    const thought = (signature: string) => ({ type: 'thinking', thinking: 'hm', signature })
    const use = { type: 'tool_use', id: 't', name: 'n', input: {} }
    const [user, kept] = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [thought('sig'), use] },
    ]
    const mixed = {
      role: 'assistant',
      content: [thought(''), thought('sig'), { ...use, extra_content: { a: {} } }],
    }
    const body: JsonObject = { model: 'm', messages: [user, kept, mixed] }
    expect(messagesDialect.request(body, context)).to.deep.equal({ model: 'm', messages: [user, kept, kept] })
    expect(body.messages).to.deep.equal([user, kept, mixed])
  })

  it('are streamed as the original bytes', () => {
    expect(messagesDialect.stream).to.equal('same')
  })

  describe('are streamed event by event when the framing differs:', () => {
    type Named = { type: RawMessageStreamEvent['type'] | 'ping'; [key: string]: unknown }
    const events: Named[] = [
      { type: 'message_start', message: { id: 'msg_1' } },
      { type: 'ping' },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
      { type: 'message_stop' },
    ]
    it('up to message_stop', () => {
      const given = [...events, { type: 'ping' }].map((event) => dataEvent(event as JsonObject))
      expect(runStream(messagesStream(), given)).to.deep.equal({ chunks: events, done: true })
    })
    it('incomplete without message_stop', () => {
      const given = events.slice(0, -1).map((event) => dataEvent(event as JsonObject))
      expect(runStream(messagesStream(), given).done).to.equal(false)
    })
    it('up to an error, with the status of its type', () => {
      const event = dataEvent({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })
      const fault = upstreamErrorOf(() => messagesStream().event(event))
      expect(fault).to.include({ status: 529, type: 'overloaded_error', message: 'Overloaded' })
    })
    it('up to an event that cannot be parsed', () => {
      expect(gatewayErrorOf(() => messagesStream().event(dataEvent('[DONE]'))).code).to.equal(
        'upstream_invalid_response',
      )
    })
  })
})
