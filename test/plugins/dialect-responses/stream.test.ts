/** Chat chunks as the events of a response. Each table has the types of the vendor's package. */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { responsesStream } from '#dialect-responses/stream'
import { chatChunks, createContext, runStream } from './support.ts'

const eventsOf = (deltas: JsonObject[], finish: string | null = 'stop') =>
  runStream(responsesStream(createContext()), chatChunks(deltas, finish))

/** The events of a response without the first two and the last. */
const middle = (events: JsonObject[]) => events.slice(2, -1)

type Numbered = ResponseStreamEvent extends infer Event
  ? Event extends ResponseStreamEvent
    ? Omit<Event, 'sequence_number'>
    : never
  : never

/** Adds the sequence numbers of events after the first two. */
const numbered = (events: Numbered[]) =>
  events.map((event, index) => ({ ...event, sequence_number: index + 2 }))

const words = (...texts: string[]) => texts.map((content) => ({ content }))

describe('the events of a response made of chat chunks', () => {
  it('begin and end with the response', () => {
    const events = eventsOf(words('he', 'llo'))
    expect(events.map(({ type }) => type)).to.deep.equal([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map((event) => event.sequence_number)).to.deep.equal(events.map((_, index) => index))
    const [created, inProgress] = events
    expect(created?.response).to.deep.equal(inProgress?.response)
    expect(created?.response).to.include({ id: 'resp_1', status: 'in_progress', usage: null, model: 'm-1' })
    expect(created?.response).to.have.deep.property('output', [])
    const last = events[events.length - 1]?.response
    expect(last).to.include({ id: 'resp_1', status: 'completed' })
    expect(last).to.have.nested.property('usage.total_tokens', 18)
    expect(last).to.have.nested.property('output[0].content[0].text', 'hello')
  })

  it('contain text', () => {
    const place = { item_id: 'msg_1_0', output_index: 0, content_index: 0 }
    const part = { type: 'output_text' as const, text: 'hello', annotations: [], logprobs: [] }
    const item = { id: 'msg_1_0', type: 'message' as const, role: 'assistant' as const }
    expect(middle(eventsOf([{ role: 'assistant', content: '' }, ...words('he', 'llo')]))).to.deep.equal(
      numbered([
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { ...item, status: 'in_progress', content: [] },
        },
        { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
        { type: 'response.output_text.delta', ...place, delta: 'he', logprobs: [] },
        { type: 'response.output_text.delta', ...place, delta: 'llo', logprobs: [] },
        { type: 'response.output_text.done', ...place, text: 'hello', logprobs: [] },
        { type: 'response.content_part.done', ...place, part },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: { ...item, status: 'completed', content: [part] },
        },
      ]),
    )
  })

  it('contain a refusal', () => {
    const place = { item_id: 'msg_1_0', output_index: 0, content_index: 0 }
    const part = { type: 'refusal' as const, refusal: 'no way' }
    expect(middle(eventsOf([{ refusal: 'no ' }, { refusal: 'way' }])).slice(1, -1)).to.deep.equal(
      numbered([
        { type: 'response.content_part.added', ...place, part: { ...part, refusal: '' } },
        { type: 'response.refusal.delta', ...place, delta: 'no ' },
        { type: 'response.refusal.delta', ...place, delta: 'way' },
        { type: 'response.refusal.done', ...place, refusal: 'no way' },
        { type: 'response.content_part.done', ...place, part },
      ]).map((event) => ({ ...event, sequence_number: event.sequence_number + 1 })),
    )
  })

  it('contain tool calls that arrive interleaved', () => {
    const piece = (index: number, args: string, head: JsonObject = {}) => ({
      tool_calls: [
        { index, ...head, function: { arguments: args, ...(head.id ? { name: `f${index}` } : {}) } },
      ],
    })
    const events = middle(
      eventsOf(
        [
          piece(0, '{"a"', { id: 'x', type: 'function' }),
          piece(1, '{', { id: 'y' }),
          piece(0, ':1}'),
          piece(1, '}'),
        ],
        'tool_calls',
      ),
    )
    const place = (index: number) => ({ item_id: `fc_1_${index}`, output_index: index })
    const item = (
      index: number,
      { id, args, status }: { id: string; args: string; status: 'in_progress' | 'completed' },
    ) => ({
      id: `fc_1_${index}`,
      type: 'function_call' as const,
      status,
      call_id: id,
      name: `f${index}`,
      arguments: args,
    })
    expect(events).to.deep.equal(
      numbered([
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: item(0, { id: 'x', args: '', status: 'in_progress' }),
        },
        { type: 'response.function_call_arguments.delta', ...place(0), delta: '{"a"' },
        {
          type: 'response.output_item.added',
          output_index: 1,
          item: item(1, { id: 'y', args: '', status: 'in_progress' }),
        },
        { type: 'response.function_call_arguments.delta', ...place(1), delta: '{' },
        { type: 'response.function_call_arguments.delta', ...place(0), delta: ':1}' },
        { type: 'response.function_call_arguments.delta', ...place(1), delta: '}' },
        { type: 'response.function_call_arguments.done', ...place(0), name: 'f0', arguments: '{"a":1}' },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: item(0, { id: 'x', args: '{"a":1}', status: 'completed' }),
        },
        { type: 'response.function_call_arguments.done', ...place(1), name: 'f1', arguments: '{}' },
        {
          type: 'response.output_item.done',
          output_index: 1,
          item: item(1, { id: 'y', args: '{}', status: 'completed' }),
        },
      ]),
    )
  })

  it('contain reasoning, which ends when the text begins', () => {
    const place = { item_id: 'rs_1_0', output_index: 0, summary_index: 0 }
    const part = { type: 'summary_text' as const, text: 'hm hm' }
    const events = middle(
      eventsOf([{ reasoning_content: 'hm ' }, { reasoning_content: 'hm' }, { content: 'so' }]),
    )
    expect(events.slice(0, 6)).to.deep.equal(
      numbered([
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { id: 'rs_1_0', type: 'reasoning', summary: [] },
        },
        { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
        { type: 'response.reasoning_summary_text.delta', ...place, delta: 'hm ' },
        { type: 'response.reasoning_summary_text.delta', ...place, delta: 'hm' },
        { type: 'response.reasoning_summary_text.done', ...place, text: 'hm hm' },
        { type: 'response.reasoning_summary_part.done', ...place, part },
      ]),
    )
    expect(events[6]).to.include({ type: 'response.output_item.done', output_index: 0 })
    expect(events[6]).to.have.deep.nested.property('item.summary', [part])
    expect(events[7]).to.include({ type: 'response.output_item.added', output_index: 1 })
  })

  it('contain each reasoning step as a part of the summary', () => {
    const block = (index: number, piece: JsonObject) => ({
      content_blocks: [{ index, type: 'thinking', ...piece }],
    })
    const events = eventsOf([
      block(0, { thinking: 'a' }),
      block(0, { thinking: 'b' }),
      block(0, { signature: 's0' }),
      block(1, { thinking: 'c' }),
      block(1, { signature: 's1' }),
      { content: 'so' },
    ])
    const parts = events.filter(({ type }) => type === 'response.reasoning_summary_part.done')
    expect(parts.map(({ summary_index: index, part }) => [index, part])).to.deep.equal([
      [0, { type: 'summary_text', text: 'ab' }],
      [1, { type: 'summary_text', text: 'c' }],
    ])
  })

  it('contain citations', () => {
    const citation = { type: 'url_citation', url_citation: { url: 'https://a.example', title: 't' } }
    const events = eventsOf([{ content: 'see' }, { annotations: [citation] }])
    expect(events.find(({ type }) => type === 'response.output_text.annotation.added')).to.deep.include({
      item_id: 'msg_1_0',
      output_index: 0,
      content_index: 0,
      annotation_index: 0,
      annotation: { type: 'url_citation', url: 'https://a.example', title: 't' },
    })
    expect(events[events.length - 1]).to.have.nested.property(
      'response.output[0].content[0].annotations[0].url',
      'https://a.example',
    )
  })

  it('keep the bytes of log probabilities in the completed item', () => {
    const stream = responsesStream(createContext())
    const token = {
      token: 'a',
      bytes: [97],
      logprob: -1,
      top_logprobs: [{ token: 'b', bytes: [98], logprob: -2 }],
    }
    const events = runStream(stream, [
      {
        choices: [
          { index: 0, delta: { content: 'a' }, logprobs: { content: [token] }, finish_reason: 'stop' },
        ],
      },
    ])
    const delta = events.find(({ type }) => type === 'response.output_text.delta')
    expect(delta?.logprobs).to.deep.equal([
      { token: 'a', logprob: -1, top_logprobs: [{ token: 'b', logprob: -2 }] },
    ])
    expect(events[events.length - 1]).to.have.deep.nested.property('response.output[0].content[0].logprobs', [
      token,
    ])
  })

  it('mark truncated text as incomplete', () => {
    const events = eventsOf(words('hel'), 'length')
    const last = events[events.length - 1]
    expect(last?.type).to.equal('response.incomplete')
    expect(last).to.have.deep.nested.property('response.incomplete_details', { reason: 'max_output_tokens' })
    expect(last).to.have.nested.property('response.output[0].status', 'incomplete')
  })

  it('include content that arrives after the finish reason', () => {
    const late = { choices: [{ index: 0, delta: { content: '!' }, finish_reason: null }] }
    const events = runStream(responsesStream(createContext()), [...chatChunks(words('hi')), late])
    expect(events[events.length - 1]).to.have.nested.property('response.output[0].content[0].text', 'hi!')
  })

  it('contain an empty message when the model generated nothing', () => {
    const [last] = eventsOf([{ role: 'assistant', content: '' }]).slice(-1)
    expect(last).to.have.nested.property('response.output[0].content[0].text', '')
  })

  it('are complete without a single chunk', () => {
    const events = runStream(responsesStream(createContext()), [])
    expect(events[0]?.type).to.equal('response.created')
    expect(events[events.length - 1]?.type).to.equal('response.completed')
  })

  it('contain only the first choice', () => {
    const choice = (index: number, content: string) => ({ index, delta: { content }, finish_reason: null })
    const events = runStream(responsesStream(createContext()), [
      { choices: [choice(0, 'a'), choice(1, 'b')] },
      { choices: [choice(1, 'c')] },
    ])
    expect(events[events.length - 1]).to.have.nested.property('response.output[0].content[0].text', 'a')
  })

  it('ignore chunk members of a wrong type', () => {
    const odd = [
      { choices: 'x' },
      { choices: [{ delta: 'y' }] },
      { choices: [{ delta: { tool_calls: [1, {}] } }] },
    ]
    const events = runStream(responsesStream(createContext()), odd as never)
    expect(events[events.length - 1]?.type).to.equal('response.completed')
  })
})
