/** No part of a forbidden phrase in a stream is ever delivered, for every split of the chunks. */
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { chat } from '../../support/gateway.ts'
import { openScene, type Reply } from '../../support/scene.ts'
import { chatChunk, chatEvents, type Handler, sendEvents } from '../../support/upstream.ts'

const phrase = 'XYZZY-PLUGH-FROTZ'
const guard = { id: 'no', deny: true, contains: { operator: 'none', words: [phrase] } }

/** Text without any letter of the phrase. */
const innocent = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'abcde fghi'), maxLength })

/** A text cut into pieces of the given lengths, the rest of it last. */
function cut(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = []
  let at = 0
  for (const length of lengths) {
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return [...pieces, text.slice(at)].filter((piece) => piece !== '')
}

interface Piece {
  choice: number
  text: string
}

/** The places in a stream that can contain text. */
const places: Record<string, (text: string) => Record<string, unknown>> = {
  content: (text) => ({ content: text }),
  'tool-call arguments': (text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] }),
  reasoning: (text) => ({ reasoning_content: text }),
  'a content block': (text) => ({ content_blocks: [{ index: 0, type: 'thinking', thinking: text }] }),
}

const eventOf = ({ choice, text }: Piece, place: (text: string) => Record<string, unknown>): string => {
  const { choices, ...rest } = chatChunk(place(text))
  return `data: ${JSON.stringify({ ...rest, choices: [{ ...(choices as object[])[0], index: choice }] })}\n\n`
}

/** Sends the events, split at other places than their ends. */
const sendBytes =
  (events: readonly string[], every: number): Handler =>
  (_request, response) => {
    const bytes = Buffer.from(`${events.join('')}data: [DONE]\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let at = 0; at < bytes.length; at += every) response.write(bytes.subarray(at, at + every))
    response.end()
  }

/** All text of a choice that was delivered. */
function delivered({ text }: Reply, choice: number): string {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .flatMap((event) => (JSON.parse(event.slice(6)).choices ?? []) as Record<string, never>[])
    .filter(({ index }) => index === choice)
    .map(
      ({ delta }) =>
        JSON.stringify(delta).match(/"(?:content|arguments|reasoning_content|thinking)":"([^"]*)"/)?.[1] ??
        '',
    )
    .join('')
}

describe('a stream that a guardrail may deny', () => {
  const scene = openScene()
  const body = chat('x', { stream: true })
  const ask = (pieces: readonly Piece[], place: keyof typeof places, every: number) => {
    const write = places[place] ?? (() => ({}))
    scene.answers.a = sendBytes(
      pieces.map((piece) => eventOf(piece, write)),
      every,
    )
    return scene.ask(scene.leaf('a', { output_guardrails: [guard] }), { body })
  }

  for (const place of Object.keys(places)) {
    it(`delivers no part of the phrase: in ${place}`, async () => {
      const property = fc.asyncProperty(
        innocent(900),
        innocent(300),
        fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 700 }),
        async (before, after, lengths, every) => {
          const pieces = cut(before + phrase + after, lengths).map((text) => ({ choice: 0, text }))
          const reply = await ask(pieces, place, every)
          const seen = delivered(reply, 0)
          expect(before.startsWith(seen), seen).to.equal(true)
          expect(reply.text).to.contain('guardrail_denied').and.not.to.contain('[DONE]')
          expect(reply.status).to.be.oneOf([200, 446])
        },
      )
      await assertProperty(property, { numRuns: 15 })
    })
  }

  it('delivers no part of the phrase when the chunks of several choices alternate', async () => {
    const property = fc.asyncProperty(
      innocent(500),
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 12 }),
      fc.array(innocent(300), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 20, max: 900 }),
      async (before, lengths, others, every) => {
        const guilty = cut(before + phrase, [before.length, ...lengths]).map((text) => ({ choice: 1, text }))
        const pieces = guilty.flatMap((piece, index) => [piece, { choice: 0, text: others[index] ?? 'a' }])
        const reply = await ask(pieces, 'content', every)
        expect(before.startsWith(delivered(reply, 1)), reply.text).to.equal(true)
        expect(reply.text).to.contain('guardrail_denied')
      },
    )
    await assertProperty(property, { numRuns: 20 })
  })

  it('delivers every byte of a text that passes', async () => {
    const property = fc.asyncProperty(
      innocent(900),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 700 }),
      async (text, lengths, every) => {
        const pieces = cut(text, lengths).map((piece) => ({ choice: 0, text: piece }))
        const reply = await ask(pieces, 'content', every)
        expect(reply.status).to.equal(200)
        const sent = pieces.map((piece) => eventOf(piece, (content) => ({ content }))).join('')
        expect(reply.text).to.equal(`${sent}data: [DONE]\n\n`)
      },
    )
    await assertProperty(property, { numRuns: 15 })
  })

  it('delivers no part of a phrase longer than the windows or without a maximum length', async () => {
    const long = 'q'.repeat(500) + 'w'.repeat(500) + 'e'.repeat(500)
    const guards = [
      { contains: { operator: 'none', words: [long] } },
      { regexMatch: { rule: 'qw{500}e', not: true } },
      { regexMatch: { rule: 'q+w+e', not: true } },
    ]
    scene.answers.a = (_request, response) =>
      sendEvents(
        response,
        chatEvents(
          ...cut(
            long,
            Array.from({ length: 30 }, () => 50),
          ),
        ),
      )
    for (const longGuard of guards) {
      const config = scene.leaf('a', { output_guardrails: [{ deny: true, ...longGuard }] })
      const reply = await scene.ask(config, { body })
      expect(reply.text).to.contain('guardrail_denied').and.not.to.contain('[DONE]')
      expect(delivered(reply, 0)).to.match(/^q{0,499}$/)
    }
  })

  it('delivers text outside the hold-back window before the stream ends', async () => {
    let finish: () => void = () => undefined
    const event = (text: string) => eventOf({ choice: 0, text }, (content) => ({ content }))
    scene.answers.a = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(event('the beginning ') + event('a '.repeat(300)) + event('b '.repeat(300)))
      finish = () => response.end('data: [DONE]\n\n')
    }
    const response = await scene.gateway.post('/v1/chat/completions', body, {
      'x-gateway-config': JSON.stringify(scene.leaf('a', { output_guardrails: [guard] })),
    })
    const reader = (response.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader()
    let text = ''
    while (!text.includes('the beginning')) text += (await reader.read()).value ?? ''
    finish()
    for (let step = await reader.read(); !step.done; step = await reader.read()) text += step.value
    expect(text).to.match(/\[DONE\]\n\n$/)
  })
})
