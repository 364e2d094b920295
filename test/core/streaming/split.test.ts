/** A streamed answer arrives completely, event by event, for every split of the provider's bytes. */
import { expect } from 'chai'
import { createSplitter, parseEvents } from '#streaming/sse-splitter'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'
import { bytesOf, dataOf, piece } from './events.ts'

const first = piece('a é')
const second = piece('世😀"[DONE]"')
const event = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`

interface Stream {
  provider: string
  /** The opening of such a stream, and its number of events. */
  start?: { text: string; events: number }
  /** Events that can be repeated in a stream. */
  middle: string
  /** The event that ends the stream. */
  end: string
}

const streams: Record<string, Stream> = {
  'line feeds': {
    provider: 'openai',
    middle: `data: ${first}\n\ndata: ${second}\n\n`,
    end: 'data: [DONE]\n\n',
  },
  'carriage returns with line feeds': {
    provider: 'openai',
    middle: `data: ${first}\r\n\r\ndata: ${second}\r\n\r\n`,
    end: 'data: [DONE]\r\n\r\n',
  },
  'carriage returns': {
    provider: 'openai',
    middle: `data: ${first}\r\rdata: ${second}\r\r`,
    end: 'data: [DONE]\r\r',
  },
  'mixed ends of lines': {
    provider: 'openai',
    middle: `data: ${first}\r\n\ndata: ${second}\n\r\ndata: ${first}\r\r\n`,
    end: 'data: [DONE]\n\r\n',
  },
  'comments, other fields, no space, and data in two lines': {
    provider: 'openai',
    middle: `: hi é\n\nevent: chunk\nid: 1\ndata:${first}\n:\n\n:\n\ndata:${second.replace(':[', ':\ndata:[')}\nretry: 5\n\n`,
    end: 'data:[DONE]\n\n',
  },
  'another dialect': {
    provider: 'anthropic',
    start: {
      text: event('message_start', { message: { id: 'm', model: 'x', usage: { input_tokens: 1 } } }),
      events: 1,
    },
    middle: event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'é世😀' } }),
    end: event('message_stop', {}),
  },
}

/** Events without a name: nothing separates a byte order mark from the data. */
const unnamed = [
  { type: 'message_start', message: { id: 'm', model: 'x', usage: { input_tokens: 1 } } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
  { type: 'message_stop' },
]
  .map((data) => `data: ${JSON.stringify(data)}\n\n`)
  .join('')

const offsetsOf = (bytes: Buffer) => Array.from({ length: bytes.length - 1 }, (_, index) => index + 1)
const cutAt = (bytes: Buffer, offset: number) => [bytes.subarray(0, offset), bytes.subarray(offset)]
const cutEverywhere = (bytes: Buffer) => offsetsOf(bytes).map((at) => bytes.subarray(at - 1, at))

describe('a streamed answer', () => {
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

  /** The events for these reads. */
  async function pass(provider: string, reads: readonly Buffer[]): Promise<string[]> {
    upstream.handle((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      // Each write is a separate HTTP chunk, which is read separately even if the network joins them.
      for (const read of reads) response.write(read)
      response.end()
    })
    const body = chat('hi', { stream: true, max_tokens: 9 })
    const response = await gateway.post(
      '/v1/chat/completions',
      body,
      configHeader({ ...target(upstream.url), provider }),
    )
    expect(response.status).to.equal(200)
    return dataOf(await bytesOf(response)).map((data) => data.replace(/"created":\d+/, '"created":0'))
  }

  it('keeps its first event after a byte order mark', async () => {
    const expected = await pass('anthropic', [Buffer.from(unnamed)])
    expect(expected[0]).to.contain('"id":"m"').and.contain('"role":"assistant"')
    const bytes = Buffer.from(`\uFEFF${unnamed}`)
    for (const offset of [1, 2, 3, 4])
      expect(await pass('anthropic', cutAt(bytes, offset))).to.deep.equal(expected)
  })

  it('treats a later byte order mark as part of a line', () => {
    const splitter = createSplitter()
    const reads = ['data: a\n\n', '\uFEFFdata: b\n\n', 'data: \uFEFFc\n\n'].map((text) => Buffer.from(text))
    const events = reads.flatMap((read) => parseEvents(splitter.push(read) ?? Buffer.alloc(0)))
    expect(events.map(({ data }) => data)).to.deep.equal(['a', '\uFEFFc'])
  })

  it('delivers an event with its last byte, before the provider sends more', async () => {
    for (const ending of ['\n\n', '\r\n\r\n', '\r\r']) {
      for (let cut = 1; cut < ending.length; cut += 1) {
        const event = Buffer.from(`data: ${second}${ending}`)
        let end = () => {}
        upstream.handle((_request, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          for (const read of cutAt(event, event.length - cut)) response.write(read)
          end = () => response.end('data: [DONE]\n\n')
        })
        const { body } = await gateway.post(
          '/v1/chat/completions',
          chat('hi', { stream: true }),
          configHeader(target(upstream.url)),
        )
        const reader = body?.getReader()
        const step = await reader?.read()
        expect(Buffer.from(step?.value ?? []).equals(event)).to.equal(true)
        end()
        await reader?.cancel()
      }
    }
  })

  for (const [name, { provider, ...stream }] of Object.entries(streams)) {
    const start = Buffer.from(stream.start?.text ?? '')
    const middle = Buffer.from(stream.middle)
    const end = Buffer.from(stream.end)

    it(`with ${name} is the same for every split of its events`, async () => {
      const [once, done] = [await pass(provider, [start, middle, end]), '[DONE]']
      expect(once.join()).to.contain('世😀')
      if (provider === 'openai') expect(once).to.deep.equal([...dataOf(middle), done])
      const offsets = offsetsOf(middle)
      const reads = offsets.flatMap((offset) => cutAt(middle, offset))
      const opening = once.slice(0, stream.start?.events ?? 0)
      const events = once.slice(opening.length, -1)
      const expected = [...opening, ...offsets.flatMap(() => events), done]
      expect(await pass(provider, [start, ...reads, end])).to.deep.equal(expected)
    })

    it(`with ${name} is the same for every split of its end, and byte by byte`, async () => {
      const whole = await pass(provider, [Buffer.concat([start, middle, end])])
      expect(whole.at(-1)).to.equal('[DONE]')
      for (const offset of offsetsOf(end)) {
        const reads = [start, middle, ...cutAt(end, offset)]
        expect(await pass(provider, reads), `cut at ${offset}`).to.deep.equal(whole)
      }
      const bytes = Buffer.concat([start, middle, end])
      const last = bytes.subarray(-1)
      expect(await pass(provider, [...cutEverywhere(bytes), last]), 'byte by byte').to.deep.equal(whole)
    })
  }
})
