/** No part of a forbidden phrase in a message stream is delivered, wherever it occurs. */
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { openScene, type Reply } from '../../support/scene.ts'
import { type Handler, sendEvents } from '../../support/upstream.ts'
import { ask, askMessages, eventsOf, message, named, stopEvent, targetOf } from './fixtures.ts'

const phrase = 'XYZZY-PLUGH-FROTZ'
const guard = { id: 'no', deny: true, contains: { operator: 'none', words: [phrase] } }
const innocent = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'abcde fghi'), maxLength })

function cut(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = []
  let at = 0
  for (const length of lengths) {
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return [...pieces, text.slice(at)].filter((piece) => piece !== '')
}

interface Place {
  block: object
  delta(text: string): { type: string; [key: string]: string }
}

/** Where text can occur in a stream. */
const places: Record<string, Place> = {
  text: { block: { type: 'text', text: '' }, delta: (text) => ({ type: 'text_delta', text }) },
  thinking: {
    block: { type: 'thinking', thinking: '', signature: '' },
    delta: (thinking) => ({ type: 'thinking_delta', thinking }),
  },
  'the input of a tool': {
    block: { type: 'tool_use', id: 't', name: 'n', input: {} },
    delta: (partial_json) => ({ type: 'input_json_delta', partial_json }),
  },
  'the input of a tool of the vendor’s': {
    block: { type: 'server_tool_use', id: 't', name: 'n', input: {} },
    delta: (partial_json) => ({ type: 'input_json_delta', partial_json }),
  },
}

const start = named({ type: 'message_start', message: message('', { content: [] }) })
const end = [
  named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }),
  stopEvent,
]

/** One block after another, each with these texts. */
const blocksOf = (pieces: readonly string[], { block, delta }: Place, from = 0): string[] => [
  named({ type: 'content_block_start', index: from, content_block: block }),
  ...pieces.map((text) => named({ type: 'content_block_delta', index: from, delta: delta(text) })),
  named({ type: 'content_block_stop', index: from }),
]

/** Sends the events in chunks that do not end with an event. */
const sendBytes =
  (events: readonly string[], every: number): Handler =>
  (_request, response) => {
    const bytes = Buffer.from(events.join(''))
    const count = Math.ceil(bytes.length / every)
    sendEvents(
      response,
      Array.from({ length: count }, (_, index) => bytes.subarray(index * every, (index + 1) * every)),
    )
  }

const delivered = (reply: Reply, index: number): string =>
  reply.status === 446
    ? ''
    : eventsOf(reply)
        .filter(({ data }) => data.type === 'content_block_delta' && data.index === index)
        .map(({ data }) => {
          const { type: _, ...texts } = data.delta as Record<string, string>
          return Object.values(texts).join('')
        })
        .join('')

describe('a message stream that a guardrail may deny', () => {
  const scene = openScene()
  const run = (events: readonly string[], every: number) => {
    scene.answers.a = sendBytes([start, ...events, ...end], every)
    const config = targetOf(scene, 'native', { name: 'a', extra: { output_guardrails: [guard] } })
    return askMessages(scene, config, { body: ask('x', { stream: true }) })
  }

  for (const [name, place] of Object.entries(places)) {
    it(`delivers no part of the phrase: in ${name}`, async () => {
      const property = fc.asyncProperty(
        innocent(900),
        innocent(300),
        fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 700 }),
        async (before, after, lengths, every) => {
          const reply = await run(blocksOf(cut(before + phrase + after, lengths), place), every)
          expect(before.startsWith(delivered(reply, 0))).to.equal(true)
          expect(reply.text).to.contain('guardrail_denied').and.not.to.contain('message_stop')
          expect(reply.status).to.be.oneOf([200, 446])
        },
      )
      await assertProperty(property, { numRuns: 12 })
    })
  }

  it('delivers no part of a phrase in a later block', async () => {
    const text = places.text as Place
    const first = 'an innocent text. '.repeat(40)
    const early = blocksOf(cut(first, Array(30).fill(20)), text)
    const reply = await run([...early, ...blocksOf(cut(phrase, [5, 3]), text, 1)], 100)
    expect(first.startsWith(delivered(reply, 0)) && delivered(reply, 0) !== '').to.equal(true)
    expect(delivered(reply, 1)).to.equal('')
    expect(eventsOf(reply).at(-1)?.name).to.equal('error')
  })

  it('delivers a complete block before the stream ends', async () => {
    let finish: () => void = () => undefined
    const long = blocksOf(
      cut('a b c d e '.repeat(200), Array(50).fill(20)),
      places['the input of a tool'] as Place,
      1,
    )
    scene.answers.a = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write([start, ...blocksOf(['short'], places.text as Place), ...long.slice(0, -1)].join(''))
      finish = () => response.end([...long.slice(-1), ...end].join(''))
    }
    const config = targetOf(scene, 'native', { name: 'a', extra: { output_guardrails: [guard] } })
    const response = await scene.gateway.post('/v1/messages', ask('x', { stream: true }), {
      'x-gateway-config': JSON.stringify(config),
    })
    const reader = (response.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader()
    let text = ''
    while (!text.includes('short')) text += (await reader.read()).value ?? ''
    finish()
    for (let step = await reader.read(); !step.done; step = await reader.read()) text += step.value
    expect(text).to.contain('message_stop')
  })

  it('delivers every byte of a message that passes', async () => {
    const property = fc.asyncProperty(
      innocent(900),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 700 }),
      async (text, lengths, every) => {
        const events = blocksOf(cut(text, lengths), places.text as Place)
        const reply = await run(events, every)
        expect(reply.text).to.equal([start, ...events, ...end].join(''))
      },
    )
    await assertProperty(property, { numRuns: 12 })
  })
})
