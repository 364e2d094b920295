/**
 * Chat streams → streams of a message.
 * Source: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { chatRequestOf, chunkOf, messageEventsOf } from './chat-fixtures.ts'
import { unreportedUsage } from './fixtures.ts'
import { followMessage } from './message-order.ts'

const call = (index: number, written: string, head: object = {}) => ({
  tool_calls: [
    {
      index,
      ...head,
      function: { arguments: written, ...(Object.keys(head).length > 0 ? { name: `f${index}` } : {}) },
    },
  ],
})
const begin = (index: number, written = '') => call(index, written, { id: `c${index}`, type: 'function' })
const use = (index: number, input: unknown) => ({
  type: 'tool_use',
  id: `c${index}`,
  name: `f${index}`,
  input,
})
const usage = {
  choices: [],
  usage: { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } },
}
const types = (events: readonly object[]) => events.map((event) => (event as RawMessageStreamEvent).type)

describe('a chat stream translated to a message stream', () => {
  it('sends text as it arrives, and usage at the end', () => {
    const events = messageEventsOf([
      chunkOf({ role: 'assistant', content: '' }),
      chunkOf({ content: 'Hel' }),
      chunkOf({ content: 'lo' }),
      chunkOf({}, 'stop'),
      usage,
    ])
    expect(types(events)).to.deep.equal([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(followMessage(events)).to.deep.equal({
      id: 'msg_7',
      model: 'gpt',
      content: [{ type: 'text', text: 'Hello' }],
      stopReason: 'end_turn',
      usage: {
        input_tokens: 5,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 4,
        output_tokens: 3,
        ...unreportedUsage,
      },
      isComplete: true,
    })
  })

  it('does not delay events that are already in order', () => {
    const steps = [
      chunkOf({ content: 'a' }),
      chunkOf(begin(0)),
      chunkOf(call(0, '{"q":')),
      chunkOf(call(0, '1}')),
      chunkOf(begin(1, '{}')),
    ]
    const counts = steps.map((_, index) => types(messageEventsOf(steps.slice(0, index + 1), false)).length)
    // The events are: start, block, delta; stop, block; delta; delta; stop, block, delta.
    expect(counts).to.deep.equal([3, 5, 6, 7, 10])
  })

  const table: [what: string, deltas: object[], content: object[]][] = [
    ['nothing', [{ role: 'assistant' }], []],
    ['calls', [begin(0, '{"a":1}'), begin(1), call(1, '{}')], [use(0, { a: 1 }), use(1, {})]],
    ['a call without input', [begin(0), begin(1)], [use(0, {}), use(1, {})]],
    [
      'calls that are interleaved',
      [begin(0), begin(1), call(0, '{"a":'), call(1, '{"b":'), call(0, '1}'), call(1, '2}')],
      [use(0, { a: 1 }), use(1, { b: 2 })],
    ],
    [
      'calls of one chunk',
      [{ tool_calls: [...begin(0, '{"a":1}').tool_calls, ...begin(1, '{"b":2}').tool_calls] }],
      [use(0, { a: 1 }), use(1, { b: 2 })],
    ],
    ['text after a call', [begin(0, '{}'), { content: 'so' }], [use(0, {}), { type: 'text', text: 'so' }]],
    [
      'text in the middle of a call',
      [begin(0), { content: 'so' }, call(0, '{"a":1}')],
      [use(0, { a: 1 }), { type: 'text', text: 'so' }],
    ],
    [
      'reasoning',
      [{ reasoning_content: 'h' }, { reasoning_content: 'm' }, { content: 'a' }],
      [
        { type: 'thinking', thinking: 'hm', signature: '' },
        { type: 'text', text: 'a' },
      ],
    ],
    [
      'thinking blocks',
      [
        { content_blocks: [{ index: 0, type: 'thinking', thinking: 'hm' }] },
        { content_blocks: [{ index: 0, type: 'thinking', signature: 'sig' }] },
        { content_blocks: [{ index: 1, type: 'redacted_thinking', data: 'x' }] },
        { content_blocks: [{ index: 2, type: 'thinking', thinking: 'so' }] },
        { content: 'a' },
      ],
      [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'redacted_thinking', data: 'x' },
        { type: 'thinking', thinking: 'so', signature: '' },
        { type: 'text', text: 'a' },
      ],
    ],
    ['a refusal', [{ refusal: 'I can' }, { refusal: 'not.' }], [{ type: 'text', text: 'I cannot.' }]],
    [
      'a legacy call',
      [{ function_call: { name: 'f0', arguments: '' } }, { function_call: { arguments: '{}' } }],
      [{ type: 'tool_use', id: 'function_call_0', name: 'f0', input: {} }],
    ],
  ]
  for (const [what, deltas, content] of table) {
    it(`contains ${what}`, () => {
      const told = followMessage(
        messageEventsOf([...deltas.map((delta) => chunkOf(delta)), chunkOf({}, 'stop')]),
      )
      expect(told.content).to.deep.equal(content)
      expect(told.isComplete).to.equal(true)
    })
  }

  const stops: [finish: string | null, deltas: object[], reason: string][] = [
    ['stop', [{ content: 'a' }], 'end_turn'],
    ['length', [{ content: 'a' }], 'max_tokens'],
    ['tool_calls', [begin(0, '{}')], 'tool_use'],
    ['stop', [begin(0, '{}')], 'tool_use'],
    ['content_filter', [{ content: 'a' }], 'refusal'],
    [null, [{ content: 'a' }], 'end_turn'],
  ]
  for (const [finish, deltas, reason] of stops) {
    it(`ends with the stop reason ${reason} after ${finish}`, () => {
      const chunks = [...deltas.map((delta) => chunkOf(delta)), chunkOf({}, finish)]
      expect(followMessage(messageEventsOf(chunks)).stopReason).to.equal(reason)
    })
  }

  it('names the stop sequence', () => {
    const last = {
      ...chunkOf({}),
      choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: 'END' }],
    }
    const events = messageEventsOf([chunkOf({ content: 'a' }), last], true, {
      request: { stop_sequences: ['END'] },
    })
    const delta = events.find(({ type }) => type === 'message_delta')?.delta
    expect(delta).to.deep.equal({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
      stop_details: null,
      container: null,
    })
  })

  it("keeps a provider's extra members of a call, also under strict compliance", () => {
    const extra_content = { vendor: { signature: 's' } }
    const chunk = chunkOf({
      tool_calls: [{ index: 0, id: 'c0', function: { name: 'f0', arguments: '{}' }, extra_content }],
    })
    for (const strict of [true, false]) {
      const told = followMessage(messageEventsOf([chunk], true, { strict }))
      expect(told.content).to.deep.equal([{ ...use(0, {}), extra_content }])
      const call = { id: 'c0', type: 'function', function: { name: 'f0', arguments: '{}' } }
      expect(
        chatRequestOf({ messages: [{ role: 'assistant', content: told.content }] }, { strict }).messages,
      ).to.deep.equal([{ role: 'assistant', content: null, tool_calls: [{ ...call, extra_content }] }])
    }
  })

  it('is not complete before the chat stream is complete', () => {
    const events = messageEventsOf([chunkOf({ content: 'a' }), chunkOf({}, 'stop'), usage], false)
    expect(types(events)).not.to.include('message_stop')
    expect(followMessage(events).isComplete).to.equal(false)
  })

  it('contains the first of several choices, and skips unexpected chunks', () => {
    const other = { ...chunkOf({}), choices: [{ index: 1, delta: { content: 'b' }, finish_reason: 'stop' }] }
    const odd = [{}, { choices: 'x' }, { choices: [null] }, { choices: [{ delta: 3 }] }, { usage: 1 }]
    const told = followMessage(messageEventsOf([...odd, chunkOf({ content: 'a' }), other]))
    expect(told.content).to.deep.equal([{ type: 'text', text: 'a' }])
  })

  it('keeps order and content, however the chunks are interleaved', () => {
    const inputs = fc.array(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true }),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    assertProperty(
      fc.property(inputs, fc.string(), fc.infiniteStream(fc.nat()), (given, said, choose) => {
        const written = given.map((input) => JSON.stringify(input))
        const queues = written.map((json, index) => [
          chunkOf(begin(index)),
          ...(json.match(/.{1,3}/gsu) ?? []).map((piece) => chunkOf(call(index, piece))),
        ])
        if (said !== '') queues.push([chunkOf({ content: said })])
        const chunks = []
        const order: number[] = []
        while (queues.some((queue) => queue.length > 0)) {
          const open = queues.flatMap((queue, index) => (queue.length > 0 ? [index] : []))
          const index = open[(choose.next().value ?? 0) % open.length] ?? 0
          const [next] = queues[index]?.splice(0, 1) ?? []
          if (!order.includes(index)) order.push(index)
          if (next !== undefined) chunks.push(next)
        }
        const { content, isComplete } = followMessage(messageEventsOf(chunks))
        expect(isComplete).to.equal(true)
        expect(content).to.deep.equal(
          order.map((index) =>
            index < given.length
              ? use(index, JSON.parse(written[index] ?? '{}'))
              : { type: 'text', text: said },
          ),
        )
      }),
    )
  })
})
