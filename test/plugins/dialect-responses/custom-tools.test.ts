/** Custom tools and web search, as sent by Codex, at a provider that has only chat completions. */
import type { JsonObject } from '@gateway/contract'
import { createInputReader, inputOf } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { chatAnswer, chatEvents, type Handler, sendEvents, sendJson } from '../../support/upstream.ts'
import { eventsOf, openResponses } from './scene.ts'

const scene = openResponses()

const shell = { type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } }
const patch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' },
}
const note = { type: 'custom', name: 'note' }
const search = { type: 'web_search', external_web_access: true }
const input = '*** Begin Patch\n"é" → \\ 😀\n*** End Patch'

/** Calls this tool with these arguments, streamed in pieces of three characters. */
const calling =
  (name: string, written: string): Handler =>
  ({ json: asked }, response) => {
    const call = (text: string, isFirst: boolean) => ({
      index: 0,
      ...(isFirst ? { id: 'call_1', type: 'function' } : {}),
      function: { ...(isFirst ? { name } : {}), arguments: text },
    })
    if (asked?.stream !== true) {
      const message = { role: 'assistant', content: null, tool_calls: [call(written, true)] }
      return sendJson(response, 200, {
        ...chatAnswer(''),
        choices: [{ index: 0, finish_reason: 'tool_calls', message }],
      })
    }
    const pieces = written.match(/.{1,3}/gs) ?? []
    const deltas = pieces.map((piece, index) => ({
      choices: [{ index: 0, delta: { tool_calls: [call(piece, index === 0)] }, finish_reason: null }],
    }))
    const lines = deltas.map((delta) => `data: ${JSON.stringify(delta)}\n\n`)
    return sendEvents(response, [...lines, ...chatEvents('x').slice(2)])
  }

const toolsSent = () => (scene.seen()[0]?.json?.tools ?? []) as { function: JsonObject }[]

describe('custom tools in a response request', () => {
  it('are sent to the provider as functions with one string, whose description contains the grammar', async () => {
    const { status, text } = await scene.ask({ input: 'hi', tools: [shell, patch, note] })
    expect(status, text).to.equal(200)
    const [, first, second] = toolsSent()
    expect(first?.function).to.include({ name: 'apply_patch' })
    expect(first?.function.description).to.equal(
      'Edits files.\n\nThe input must match this Lark grammar:\nstart: "*** Begin Patch"',
    )
    expect(first?.function).to.have.nested.property('parameters.properties.input.type', 'string')
    expect(first?.function).to.have.deep.nested.property('parameters.required', ['input'])
    expect(second?.function).to.include({ name: 'note' }).and.not.have.property('description')
  })

  it('are repeated in the response as they were sent', async () => {
    const { body } = await scene.ask({ input: 'hi', tools: [patch] })
    expect(body).to.have.deep.nested.property('tools[0]', patch)
  })

  it('return their calls with the input as text', async () => {
    scene.play(calling('apply_patch', JSON.stringify({ input })))
    const { body } = await scene.ask({ input: 'hi', tools: [patch] })
    const [item] = (body as { output?: JsonObject[] }).output ?? []
    const { id, ...rest } = item ?? {}
    expect(id).to.match(/^ctc_/)
    expect(rest).to.deep.equal({
      type: 'custom_tool_call',
      status: 'completed',
      call_id: 'call_1',
      name: 'apply_patch',
      input,
    })
  })

  it('stream their input as text', async () => {
    scene.play(calling('apply_patch', JSON.stringify({ input })))
    const events = eventsOf(await scene.ask({ input: 'hi', tools: [patch], stream: true }))
    const ofType = (type: string) => events.filter((event) => event.type === type)
    const added = ofType('response.output_item.added')[0]?.item
    expect(added).to.include({
      type: 'custom_tool_call',
      name: 'apply_patch',
      input: '',
      status: 'in_progress',
    })
    const deltas = ofType('response.custom_tool_call_input.delta')
    expect(deltas.length).to.be.greaterThan(5)
    expect(deltas.map(({ delta }) => delta).join('')).to.equal(input)
    expect(ofType('response.custom_tool_call_input.done')[0]).to.include({ input, output_index: 0 })
    expect(ofType('response.output_item.done')[0]?.item).to.include({ input, status: 'completed' })
    expect(ofType('response.completed')[0]).to.have.nested.property('response.output[0].input', input)
    expect(ofType('response.function_call_arguments.delta')).to.deep.equal([])
  })

  it('use arguments of another form as the input', async () => {
    scene.play(calling('note', 'plain text'))
    const { body } = await scene.ask({ input: 'hi', tools: [note] })
    expect(body).to.have.nested.property('output[0].input', 'plain text')
    const events = eventsOf(await scene.ask({ input: 'hi', tools: [note], stream: true }))
    const done = events.find(({ type }) => type === 'response.custom_tool_call_input.done')
    expect(done).to.include({ input: 'plain text' })
  })

  it('keep calls and their results from earlier turns together', async () => {
    const call = { type: 'custom_tool_call', call_id: 'c', name: 'note', input: 'remember "this"' }
    const result = { type: 'custom_tool_call_output', call_id: 'c', output: 'noted' }
    const { status, text } = await scene.ask({
      input: [{ role: 'user', content: 'hi' }, call, result],
      tools: [note],
    })
    expect(status, text).to.equal(200)
    const messages = scene.seen()[0]?.json?.messages
    expect(messages).to.have.deep.nested.property('[1].tool_calls[0].function', {
      name: 'note',
      arguments: '{"input":"remember \\"this\\""}',
    })
    expect(messages).to.deep.include({ role: 'tool', tool_call_id: 'c', content: 'noted' })
  })

  it('continue from a response that the gateway stores', async () => {
    scene.play(calling('note', '{"input":"one"}'))
    const first = await scene.ask({ input: 'hi', tools: [note], store: true })
    await scene.ask({
      previous_response_id: (first.body as { id?: string }).id ?? '',
      input: [{ type: 'custom_tool_call_output', call_id: 'call_1', output: 'noted' }],
      tools: [note],
    })
    const messages = scene.seen()[1]?.json?.messages
    expect(messages).to.have.nested.property('[1].tool_calls[0].function.arguments', '{"input":"one"}')
    expect(messages).to.have.nested.property('[2].content', 'noted')
  })

  it('can be selected with tool_choice, one or several', async () => {
    await scene.ask({ input: 'hi', tools: [shell, note], tool_choice: { type: 'custom', name: 'note' } })
    await scene.ask({
      input: 'hi',
      tools: [shell, note],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'custom', name: 'note' }] },
    })
    const [first, second] = scene.seen()
    expect(first?.json?.tool_choice).to.deep.equal({ type: 'function', function: { name: 'note' } })
    expect(second?.json?.tools).to.have.lengthOf(1)
  })

  it('can belong to a namespace', async () => {
    scene.play(calling('house__note', '{"input":"one"}'))
    const { body } = await scene.ask({
      input: 'hi',
      tools: [{ type: 'namespace', name: 'house', description: '', tools: [note] }],
    })
    expect(body).to.have.nested.property('output[0].type', 'custom_tool_call')
    expect(body).to.have.nested.property('output[0].namespace', 'house')
    expect(body).to.have.nested.property('output[0].input', 'one')
  })

  it('are refused when a function has the same name', async () => {
    const { status, body } = await scene.ask({ input: 'hi', tools: [{ ...shell, name: 'note' }, note] })
    expect(status).to.equal(400)
    expect(body.error).to.include({ code: 'invalid_body', param: '/tools' })
  })
})

describe('the input of a custom tool', () => {
  it('is the text of the arguments, wherever the chunks are split', () => {
    assertProperty(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(60)), (text, cuts) => {
        const written = JSON.stringify({ input: text }).replace(/[^\x20-\x7e]/g, escapeUnits)
        const reader = createInputReader()
        const places = [...new Set([0, ...cuts, written.length])].sort((one, other) => one - other)
        const pieces = places.map((place, index) => written.slice(place, places[index + 1]))
        const read = pieces.map((piece) => reader.add(piece)).concat(reader.end())
        expect(read.join('')).to.equal(text)
        // Each part is a separate text.
        for (const piece of read) expect(Buffer.from(piece).toString()).to.equal(piece)
      }),
    )
  })

  for (const [name, written, input] of [
    ['arguments with spaces', ' { "input" : "a\\tb" } ', 'a\tb'],
    ['a line break that is not escaped', '{"input":"a\nb"}', 'a\nb'],
    ['arguments that were cut off', '{"input":"ab\\u00e', 'ab'],
    ['arguments that were cut off between two halves of a character', '{"input":"ab\\ud83d\\ud', 'ab'],
    ['half a character', '{"input":"a\\ud83db"}', 'a\ud83db'],
    ['another member first', '{"why":"x","input":"ab"}', 'ab'],
    ['a string', '"ab"', 'ab'],
    ['no JSON', 'ls -l', 'ls -l'],
    ['nothing', '', ''],
  ] as const) {
    it(`is read from ${name}`, () => {
      expect(inputOf(written)).to.equal(input)
    })
  }
})

const escapeUnits = (text: string) =>
  [...Array(text.length).keys()]
    .map((index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')

describe('web search at a provider that cannot search', () => {
  it('is dropped when there are tools to call, and repeated in the response', async () => {
    const { status, body, text } = await scene.ask({ input: 'hi', tools: [shell, search] })
    expect(status, text).to.equal(200)
    expect(toolsSent().map((tool) => tool.function.name)).to.deep.equal(['shell'])
    expect(body).to.have.deep.nested.property('tools[1]', search)
  })

  it('is dropped from the calls of earlier turns', async () => {
    const call = {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'q' },
    }
    const found = { role: 'assistant', content: 'It rains.' }
    const { status, text } = await scene.ask({ input: [call, found, { role: 'user', content: 'hi' }] })
    expect(status, text).to.equal(200)
    expect(scene.seen()[0]?.json?.messages).to.have.lengthOf(2)
  })

  const refused: [name: string, asked: JsonObject, param: string][] = [
    ['it is the only tool', { tools: [search] }, '/tools/0/type'],
    ['it must be used', { tools: [shell, search], tool_choice: { type: 'web_search' } }, '/tool_choice/type'],
  ]
  for (const [name, asked, param] of refused) {
    it(`is refused when ${name}`, async () => {
      const { status, body } = await scene.ask({ input: 'hi', ...asked })
      expect(status).to.equal(400)
      expect(body.error).to.include({ code: 'invalid_body', param })
    })
  }
})
