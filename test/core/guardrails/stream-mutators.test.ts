/** Mutators of the answer of a stream: it is held back, changed as a whole, and sent as a stream again. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import type { Reply } from '../../support/scene.ts'
import { chatChunk, chatEvents, sendEvents } from '../../support/upstream.ts'
import { acts, type Hook, openGuarded } from './fixtures/open.ts'
import { runs } from './fixtures/plugin.ts'

interface Chunk {
  object?: string
  hook_results?: { after_request_hooks: Hook[] }
  usage?: unknown
  choices: {
    index: number
    text?: string
    finish_reason: string | null
    delta: {
      content?: string
      tool_calls?: { index: number; id?: string; function: { arguments: string } }[]
    }
  }[]
}

const redact = { id: 'redact', regexReplace: { rule: 'secret-\\d+', redactText: '[NUMBER]' } }

describe('a stream with an output mutator', () => {
  const scene = openGuarded()
  const ask = (
    guards: unknown[],
    body: Record<string, unknown> = {},
    { headers = {}, path = '/v1/chat/completions' }: { headers?: Record<string, string>; path?: string } = {},
  ) =>
    scene.ask(scene.leaf('a', { output_guardrails: guards }), {
      path,
      body: { ...chat(), stream: true, ...body },
      headers,
    })
  const chunksOf = ({ text }: Reply): Chunk[] => {
    expect(text).to.match(/data: \[DONE\]\n\n$/)
    const events = text.split('\n\n').filter((event) => event.startsWith('data: {'))
    return events.map((event) => JSON.parse(event.slice(6)) as Chunk)
  }
  const contentOf = (chunks: Chunk[], choice = 0) =>
    chunks
      .flatMap(({ choices }) => choices)
      .filter(({ index }) => index === choice)
      .map(({ delta }) => delta.content ?? '')
      .join('')

  it('is changed for every split of its chunks', async () => {
    scene.answers.a = (_request, response) =>
      sendEvents(response, chatEvents('take sec', 'ret', '-12', '34 and', ' go'))
    const reply = await ask([redact])
    expect(reply.status).to.equal(200)
    expect(reply.headers.get('content-type')).to.contain('text/event-stream')
    const chunks = chunksOf(reply)
    expect(contentOf(chunks)).to.equal('take [NUMBER] and go')
    expect(chunks.every(({ object }) => object === 'chat.completion.chunk')).to.equal(true)
    expect(chunks.flatMap(({ choices }) => choices).at(-1)?.finish_reason).to.equal('stop')
  })

  it('is unchanged when there is nothing to change', async () => {
    const events = chatEvents('no', 'thing')
    scene.answers.a = (_request, response) => sendEvents(response, events)
    expect((await ask([redact])).text).to.equal(events.join(''))
  })

  it('is changed in the arguments of tool calls and in other choices', async () => {
    const call = (args: string, rest: object = {}) => ({
      tool_calls: [{ index: 0, ...rest, function: { arguments: args } }],
    })
    const chunks = [
      chatChunk({ role: 'assistant', content: null }),
      chatChunk(call('', { id: 'c1', type: 'function' })),
      chatChunk(call('{"n":"secret-')),
      chatChunk(call('77"}')),
      { ...chatChunk({}), choices: [{ index: 1, delta: { content: 'secret-' }, finish_reason: null }] },
      { ...chatChunk({}), choices: [{ index: 1, delta: { content: '5' }, finish_reason: 'stop' }] },
      chatChunk({}, 'tool_calls'),
    ]
    scene.answers.a = (_request, response) =>
      sendEvents(response, [
        ...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
        'data: [DONE]\n\n',
      ])
    const reply = await ask([redact])
    const changed = chunksOf(reply)
    const calls = changed.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []))
    expect(calls).to.have.length(1)
    expect(calls[0]).to.deep.include({ index: 0, id: 'c1' })
    expect(calls[0]?.function.arguments).to.equal('{"n":"[NUMBER]"}')
    expect(contentOf(changed, 1)).to.equal('[NUMBER]')
    const reasons = changed.flatMap(({ choices }) =>
      choices.map(({ index, finish_reason: why }) => [index, why]),
    )
    expect(reasons).to.deep.include.members([
      [0, 'tool_calls'],
      [1, 'stop'],
    ])
  })

  it('still ends with its usage', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    const events = chatEvents('secret-1')
    const last = `data: ${JSON.stringify({ ...chatChunk({}), choices: [], usage })}\n\n`
    scene.answers.a = (_request, response) => sendEvents(response, events.toSpliced(-1, 0, last))
    const chunks = chunksOf(await ask([redact], { stream_options: { include_usage: true } }))
    expect(chunks.at(-1)).to.deep.include({ choices: [], usage })
  })

  it('is changed for text completions, too', async () => {
    const pieces = ['a sec', 'ret-9', ' b'].map((text) => ({
      object: 'text_completion',
      choices: [{ index: 0, text, finish_reason: text === ' b' ? 'stop' : null }],
    }))
    scene.answers.a = (_request, response) =>
      sendEvents(response, [
        ...pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`),
        'data: [DONE]\n\n',
      ])
    const reply = await ask([redact], { prompt: 'x' }, { path: '/v1/completions' })
    const choices = chunksOf(reply).flatMap(({ choices }) => choices)
    expect(choices.map(({ text }) => text).join('')).to.equal('a [NUMBER] b')
    expect(choices.at(-1)?.finish_reason).to.equal('stop')
  })

  it('shows guardrails the text after the mutators, and is a plain 446 when they deny', async () => {
    const adds = { id: 'adds', 'fixture.append': { text: ' forbidden' } }
    const passing = await ask([acts('pass', 'guard', { deny: true }), adds])
    expect(passing.status).to.equal(200)
    expect(runs.at(-1)?.text).to.equal('ok forbidden')
    const noForbidden = { id: 'no', deny: true, contains: { operator: 'none', words: ['forbidden'] } }
    const denied = await ask([noForbidden, adds])
    expect(denied.status).to.equal(446)
    expect(denied.headers.get('content-type')).to.contain('application/json')
  })

  it('reports the results when extra events are wanted', async () => {
    scene.answers.a = (_request, response) => sendEvents(response, chatEvents('secret-1'))
    const chunks = chunksOf(
      await ask([redact], {}, { headers: { 'x-gateway-strict-compat-compliance': 'false' } }),
    )
    expect(chunks.at(-1)?.hook_results?.after_request_hooks[0]).to.deep.include({
      id: 'redact',
      type: 'mutator',
      transformed: true,
    })
  })
})
