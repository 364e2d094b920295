/** Streams of compatible providers whose usage or finish reasons differ from the format. */
import type { JsonObject } from '@gateway/contract'
import { compatibleDialect, type EndpointRules } from '@gateway/provider-kit'
import { expect } from 'chai'
import { dataEvent, runStream, translatorOf } from './fixtures/streams.ts'
import { gatewayErrorOf, upstreamErrorOf } from './fixtures/thrown.ts'

const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

function chunk(delta: JsonObject, rest: JsonObject = {}, finish_reason: string | null = null): JsonObject {
  return { ...head, choices: [{ index: 0, delta, finish_reason }], ...rest }
}

function translator(rules: EndpointRules, includeUsage = true, strict = true) {
  return translatorOf(compatibleDialect('chatComplete', rules), { includeUsage, strict })
}

describe('compatible streams by rules', () => {
  const wheres: [string, EndpointRules, JsonObject][] = [
    ['in the last chunk', { usageIn: 'chunk' }, { usage }],
    ["under the vendor's key", { usageIn: 'x_groq' }, { x_groq: { id: 'req', usage } }],
  ]
  for (const [where, rules, held] of wheres) {
    const events = [
      dataEvent(chunk({ role: 'assistant', content: 'Hi' })),
      dataEvent(chunk({}, held, 'stop')),
      dataEvent('[DONE]'),
    ]
    it(`returns usage ${where} a separate chunk`, () => {
      const { chunks, done } = runStream(translator(rules), events)
      expect(done).to.equal(true)
      expect(chunks[chunks.length - 1]).to.deep.equal({ ...head, choices: [], usage })
      expect(chunks.slice(0, -1).some((each) => 'usage' in each)).to.equal(false)
    })

    it(`hides usage ${where} a separate chunk unless it was requested`, () => {
      const { chunks } = runStream(translator(rules, false), events)
      expect(chunks).to.have.length(2)
      expect(chunks.some((each) => 'usage' in each)).to.equal(false)
    })
  }

  it('keeps the last of cumulative totals', () => {
    const running = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }
    const { chunks } = runStream(translator({ usageIn: 'chunk' }), [
      dataEvent(chunk({ content: 'a' }, { usage: running })),
      dataEvent(chunk({ content: 'b' }, { usage }, 'stop')),
      dataEvent('[DONE]'),
    ])
    expect(chunks[chunks.length - 1]?.usage).to.deep.equal(usage)
  })

  it('forwards a usage chunk of the provider once', () => {
    const { chunks } = runStream(translator({ usageIn: 'chunk' }), [
      dataEvent(chunk({ content: 'a' }, {}, 'stop')),
      dataEvent({ ...head, choices: [], usage }),
      dataEvent('[DONE]'),
    ])
    expect(chunks.filter((each) => 'usage' in each)).to.deep.equal([{ ...head, choices: [], usage }])
  })

  it('maps finish reasons', () => {
    const events = [dataEvent(chunk({}, {}, 'eos')), dataEvent('[DONE]')]
    const rules = { finishReasons: { eos: 'stop' } }
    expect(runStream(translator(rules), events).chunks).to.deep.equal([chunk({}, {}, 'stop')])
    const [loose] = runStream(translator(rules, true, false), events).chunks
    expect(loose?.choices).to.deep.equal([
      { index: 0, delta: {}, finish_reason: 'stop', provider_finish_reason: 'eos' },
    ])
  })

  it('is not complete without [DONE]', () => {
    expect(runStream(translator({ usageIn: 'chunk' }), [dataEvent(chunk({ content: 'a' }))]).done).to.equal(
      false,
    )
  })

  const errors: [string, EndpointRules, JsonObject, string][] = [
    [
      'an error event',
      { usageIn: 'chunk' },
      { error: { message: 'Overloaded', type: 'server_error' } },
      'Overloaded',
    ],
    [
      "an error under the vendor's key",
      { usageIn: 'x_groq' },
      chunk({}, { x_groq: { error: 'cut' } }),
      'cut',
    ],
  ]
  for (const [what, rules, event, message] of errors) {
    it(`ends with ${what}`, () => {
      const fault = upstreamErrorOf(() => translator(rules).event(dataEvent(event)))
      expect(fault).to.include({ status: 502, message })
    })
  }

  it('refuses an event that is not a JSON object', () => {
    const error = gatewayErrorOf(() => translator({ usageIn: 'chunk' }).event(dataEvent('{"id":')))
    expect(error.code).to.equal('upstream_invalid_response')
  })
})
