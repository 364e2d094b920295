/**
 * `streamGenerateContent` events → chat completion chunks.
 * Source: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { createdAt } from '../fixtures/context.ts'
import { dataEvent } from '../fixtures/streams.ts'
import { gatewayErrorOf, upstreamErrorOf } from '../fixtures/thrown.ts'
import { callOf, weather } from './fixtures/chat.ts'
import { choicesOf, deltasOf, event, run, says, textStream } from './fixtures/streams.ts'

const role = { role: 'assistant', content: '' }
const head = {
  id: 'resp_1',
  object: 'chat.completion.chunk',
  created: createdAt,
  model: 'gemini-2.5-flash-001',
}

describe('Gemini streams', () => {
  it('become chunks that end when the stream closes', () => {
    const choice = (delta: JsonObject, finish_reason: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    })
    expect(run(textStream)).to.deep.equal({
      done: true,
      chunks: [choice(role), choice({ content: 'Hel' }), choice({ content: 'lo' }), choice({}, 'stop')],
    })
  })

  it('end with the usage when it was requested, and contain null usage before', () => {
    const { chunks } = run(textStream, { includeUsage: true })
    expect(chunks[chunks.length - 1]).to.deep.equal({
      ...head,
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    })
    expect(chunks.slice(0, -1).map((each) => each.usage)).to.deep.equal([null, null, null, null])
  })

  it('contain parallel calls, numbered, with their signatures', () => {
    const events = [
      says([{ text: 'Looking' }]),
      says([{ functionCall: { id: 'a', name: 'f', args: { x: 1 } }, thoughtSignature: 'c2ln' }]),
      says([{ functionCall: { name: 'g', args: {} } }], { finishReason: 'STOP' }),
    ]
    const stream = run(events)
    expect(deltasOf(stream)).to.deep.equal([
      role,
      { content: 'Looking' },
      { tool_calls: [{ index: 0, ...callOf('a', { name: 'f', args: '{"x":1}', signature: 'c2ln' }) }] },
      { tool_calls: [{ index: 1, ...callOf('call_1', { name: 'g', args: '{}' }) }] },
      {},
    ])
    expect(choicesOf(stream)[4]).to.deep.include({ finish_reason: 'tool_calls' })
  })

  it('use the legacy function_call for a legacy request', () => {
    const calls = [{ functionCall: { name: 'f', args: {} } }, { functionCall: { name: 'g', args: {} } }]
    const stream = run([says(calls, { finishReason: 'STOP' })], {
      request: { functions: [weather.function ?? {}] },
    })
    expect(deltasOf(stream)).to.deep.equal([role, { function_call: { name: 'f', arguments: '{}' } }, {}])
    expect(choicesOf(stream)[2]).to.deep.include({ finish_reason: 'function_call' })
  })

  const thinking = [
    says([{ text: 'First ', thought: true }]),
    says([{ text: 'this.', thought: true }]),
    says([{ text: 'So' }]),
    says([{ text: '', thoughtSignature: 'c2ln' }], { finishReason: 'STOP' }),
  ]

  it('hide thoughts under strict compliance', () => {
    expect(deltasOf(run(thinking))).to.deep.equal([role, { content: 'So' }, {}])
  })

  it('show thoughts, images and signatures without strict compliance, block by block', () => {
    const image = says([{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }])
    expect(
      deltasOf(run([...thinking.slice(0, 3), image, ...thinking.slice(3)], { strict: false })),
    ).to.deep.equal([
      role,
      { content_blocks: [{ index: 0, type: 'thinking', thinking: 'First ' }] },
      { content_blocks: [{ index: 0, type: 'thinking', thinking: 'this.' }] },
      { content: 'So' },
      {
        content_blocks: [{ index: 2, type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
      },
      { extra_content: { google: { thought_signature: 'c2ln' } } },
      {},
    ])
  })

  it('keep several candidates apart', () => {
    const both = (one: string, other: string) =>
      event({
        candidates: [
          { content: { parts: [{ text: one }] }, index: 0, finishReason: 'STOP' },
          { content: { parts: [{ text: other }] }, index: 1, finishReason: 'MAX_TOKENS' },
        ],
      })
    const said = choicesOf(run([both('a', 'x'), both('b', 'y')])).map((choice) => [
      choice.index,
      (choice.delta as JsonObject).content ?? choice.finish_reason,
    ])
    expect(said).to.deep.equal([
      [0, ''],
      [0, 'a'],
      [1, ''],
      [1, 'x'],
      [0, 'b'],
      [1, 'y'],
      [0, 'stop'],
      [1, 'length'],
    ])
  })

  it('contain one finish reason even if the vendor repeats it', () => {
    const stream = run([
      says([{ text: 'a' }], { finishReason: 'STOP' }),
      says([{ text: 'b' }], { finishReason: 'STOP' }),
    ])
    expect(choicesOf(stream).map((choice) => choice.finish_reason)).to.deep.equal([null, null, null, 'stop'])
  })

  it('report a blocked prompt', () => {
    const blocked = event({ promptFeedback: { blockReason: 'SAFETY' } })
    const stream = run([blocked])
    expect(stream.done).to.equal(true)
    expect(choicesOf(stream).map((choice) => choice.finish_reason)).to.deep.equal([null, 'content_filter'])
    expect(choicesOf(run([blocked], { strict: false }))[1]).to.deep.include({
      provider_finish_reason: 'SAFETY',
      promptFeedback: { blockReason: 'SAFETY' },
    })
  })

  it('contain sources at the end', () => {
    const stream = run(
      [
        says([{ text: 'Zü' }]),
        says([{ text: 'rich' }], {
          finishReason: 'STOP',
          groundingMetadata: {
            groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
            groundingSupports: [{ segment: { endIndex: 7 }, groundingChunkIndices: [0] }],
          },
        }),
      ],
      { strict: false },
    )
    const url_citation = { start_index: 0, end_index: 6, url: 'https://a.example', title: 'A' }
    expect(deltasOf(stream)[3]).to.deep.equal({ annotations: [{ type: 'url_citation', url_citation }] })
    expect(choicesOf(stream)[3]).to.have.property('groundingMetadata')
  })

  it('contain log probabilities with the text', () => {
    const logprobsResult = { chosenCandidates: [{ token: 'a', logProbability: -1 }] }
    const [, choice] = choicesOf(run([says([{ text: 'a' }], { logprobsResult, finishReason: 'STOP' })]))
    expect(choice?.logprobs).to.deep.equal({
      content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }],
      refusal: null,
    })
  })

  it('are not complete without a finish reason, or without any event', () => {
    expect(run(textStream.slice(0, -1)).done).to.equal(false)
    expect(run([]).done).to.equal(false)
    const one = event({
      candidates: [
        { content: { parts: [{ text: 'a' }] }, index: 0, finishReason: 'STOP' },
        { content: { parts: [{ text: 'b' }] }, index: 1 },
      ],
    })
    expect(run([one]).done).to.equal(false)
  })

  it('ignore unknown parts and members', () => {
    const odd = dataEvent({
      candidates: [null, { index: 0, content: { parts: [{}, null] } }],
      usageMetadata: 1,
    })
    expect(deltasOf(run([odd, ...textStream]))).to.deep.equal([
      role,
      { content: 'Hel' },
      { content: 'lo' },
      {},
    ])
  })

  it('are refused when an event is not JSON', () => {
    expect(gatewayErrorOf(() => run([dataEvent('{"candidates":')])).code).to.equal(
      'upstream_invalid_response',
    )
  })

  const errors: [JsonObject, JsonObject][] = [
    [
      { code: 429, message: 'Slow down', status: 'RESOURCE_EXHAUSTED' },
      { status: 429, message: 'Slow down', type: 'RESOURCE_EXHAUSTED' },
    ],
    [
      { code: 0, message: 'Broke off' },
      { status: 502, message: 'Broke off', type: 'upstream_error' },
    ],
    [{}, { status: 502, type: 'upstream_error' }],
  ]
  for (const [error, fault] of errors) {
    it(`break off with the error ${JSON.stringify(error)}`, () => {
      expect(upstreamErrorOf(() => run([...textStream.slice(0, 1), dataEvent({ error })]))).to.include(fault)
    })
  }
})
