/** Texts of bodies: which are gathered, under which pointers, and how they are written back. */
import type { EndpointId, Json, JsonObject, Phase } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { createCheckInput, createTextInput } from '#core/guardrails/input'
import { parsePointer, pointer, rewriteTexts } from '#core/guardrails/texts/rewrite-texts'
import { assertProperty } from '../support/assert-property.ts'
import { endpointOf, textParts } from '../support/endpoints.ts'

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }))
const role = fc.constantFrom('system', 'user', 'assistant', 'tool')
const extra = { keys: fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<Json>, { maxKeys: 2 }) }
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: text }) }),
  fc.record({ type: fc.constant('thinking'), thinking: text }),
)
const content = fc.oneof(text, fc.constant(null), fc.array(part, { maxLength: 4 }))
const toolCall = fc.record({ id: text, function: fc.record({ name: text, arguments: text }) })
const message = fc.record(
  {
    role,
    content,
    refusal: fc.oneof(text, fc.constant(null)),
    tool_calls: fc.array(toolCall, { maxLength: 2 }),
    function_call: fc.record({ name: text, arguments: text }),
    content_blocks: fc.array(part, { maxLength: 2 }),
    ...extra,
  },
  { requiredKeys: ['role', 'content'] },
)
const tokens = fc.array(fc.oneof(text, fc.nat(), fc.array(fc.nat(), { maxLength: 2 })), { maxLength: 4 })
const document = fc.oneof(text, fc.record({ text, title: text }))

const bodies: Record<Phase, Partial<Record<EndpointId, fc.Arbitrary<object>>>> = {
  before: {
    chatComplete: fc.record({ model: text, messages: fc.array(message, { maxLength: 4 }), ...extra }),
    complete: fc.record({ prompt: fc.oneof(text, tokens), suffix: text }, { requiredKeys: ['prompt'] }),
    embed: fc.record({ input: fc.oneof(text, tokens) }),
    imageGenerate: fc.record({ prompt: text, style: text }),
    rerank: fc.record({ query: text, documents: fc.array(document, { maxLength: 4 }) }),
  },
  after: {
    chatComplete: fc.record({
      id: text,
      choices: fc.array(fc.record({ index: fc.nat(), message }), { maxLength: 3 }),
    }),
    complete: fc.record({ choices: fc.array(fc.record({ text }), { maxLength: 3 }) }),
    imageGenerate: fc.record({ data: fc.array(fc.record({ url: text, revised_prompt: text })) }),
  },
}
const anything = fc.jsonValue({ maxDepth: 5 }) as fc.Arbitrary<Json>

/** Reads a pointer in the plainest way. */
function at(body: Json, path: string): unknown {
  return parsePointer(path).reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], body)
}

/** Every leaf of a body, by its pointer. */
function leaves(node: Json | undefined, keys: string[] = []): Map<string, Json | undefined> {
  if (typeof node !== 'object' || node === null) return new Map([[pointer(keys), node]])
  const below = Object.entries(node).flatMap(([key, child]) => [...leaves(child, [...keys, key])])
  return new Map([[`${pointer(keys)}=`, Array.isArray(node) ? 'list' : 'object'], ...below])
}

for (const phase of ['before', 'after'] as const)
  for (const [endpoint, arbitrary] of Object.entries(bodies[phase]) as [
    EndpointId,
    fc.Arbitrary<JsonObject>,
  ][])
    describe(`texts of ${endpoint}, ${phase}`, () => {
      it('each have one JSON pointer that leads to them', () => {
        assertProperty(
          fc.property(arbitrary, (body) => {
            const parts = textParts(endpoint, phase, body)
            for (const part of parts) expect(at(body, part.path)).to.equal(part.text)
            expect(new Set(parts.map(({ path }) => path)).size).to.equal(parts.length)
          }),
        )
      })

      it('give the same body when they are written back unchanged', () => {
        assertProperty(
          fc.property(arbitrary, (body) => {
            const parts = textParts(endpoint, phase, body)
            expect(rewriteTexts(body, new Map(parts.map((part) => [part.path, part.text])))).to.equal(body)
          }),
        )
      })

      it('are the only change when they are rewritten', () => {
        assertProperty(
          fc.property(arbitrary, text, fc.nat(), (body, added, seed) => {
            const parts = textParts(endpoint, phase, body)
            const chosen = parts.filter((_, index) => (index + seed) % 2 === 0)
            const texts = new Map(chosen.map((part) => [part.path, `${part.text}!${added}`]))
            const old = structuredClone(body)
            const expected = leaves(body)
            for (const [path, replacement] of texts) expected.set(path, replacement)
            expect(leaves(rewriteTexts(body, texts))).to.deep.equal(expected)
            expect(body).to.deep.equal(old)
          }),
        )
      })
    })

describe('the texts of a body', () => {
  it('are collected in order, with roles and pointers', () => {
    const body = {
      messages: [
        { role: 'system', content: 'a' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'b' },
            { type: 'image_url', image_url: { url: 'x' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [{ function: { name: 'f', arguments: 'c' } }] },
        { role: 'tool', tool_call_id: 't', content: [{ type: 'text', text: 'd' }] },
      ],
    }
    expect(textParts('chatComplete', 'before', body)).to.deep.equal([
      { role: 'system', text: 'a', path: '/messages/0/content' },
      { role: 'user', text: 'b', path: '/messages/1/content/0/text' },
      { role: 'assistant', text: 'c', path: '/messages/2/tool_calls/0/function/arguments' },
      { role: 'tool', text: 'd', path: '/messages/3/content/0/text' },
    ])
  })

  const schema = {
    type: 'object',
    title: 'T',
    properties: {
      name: { type: 'string', description: 'D', enum: ['E'], pattern: 'no' },
      list: { type: 'array', items: { type: 'string', description: 'I', default: 'F' } },
    },
    required: ['name'],
  }
  const definitions: [EndpointId, JsonObject, string[]][] = [
    [
      'chatComplete',
      { tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: schema } }] },
      ['f', 'd', 'T', 'D', 'E', 'I', 'F'],
    ],
    ['chatComplete', { functions: [{ name: 'f', description: 'd', parameters: {} }] }, ['f', 'd']],
    [
      'chatComplete',
      { tools: [{ type: 'custom', custom: { name: 'c', format: { grammar: { definition: 'g' } } } }] },
      ['c', 'g'],
    ],
    [
      'messages',
      { tools: [{ name: 'f', description: 'd', input_schema: schema }] },
      ['f', 'd', 'T', 'D', 'E', 'I', 'F'],
    ],
    ['countTokens', { tools: [{ name: 'f', cache_control: { name: 'no' } }] }, ['f']],
    [
      'createModelResponse',
      { tools: [{ type: 'mcp', server_description: 's', server_url: 'no', headers: { name: 'no' } }] },
      ['s'],
    ],
    [
      'createModelResponse',
      { tools: [{ type: 'namespace', name: 'n', tools: [{ name: 'f', description: 'd' }] }] },
      ['n', 'f', 'd'],
    ],
  ]
  for (const [endpoint, tools, expected] of definitions)
    it(`include the tool texts of ${endpoint} first, and not in the last message: ${Object.keys(tools)}`, () => {
      const talk = { messages: [{ role: 'user', content: 'u' }], input: [{ role: 'user', content: 'u' }] }
      const body = { ...tools, ...talk }
      const defined = expected.map((text) => `tool_definition ${text}`)
      const parts = textParts(endpoint, 'before', body)
      expect(parts.map((part) => `${part.role} ${part.text}`)).to.deep.equal([...defined, 'user u'])
      for (const part of parts) expect(at(body, part.path)).to.equal(part.text)
      const subject = {
        endpoint: endpointOf(endpoint),
        provider: null,
        metadata: {},
        headers: {},
        request: { json: body },
      }
      const input = createCheckInput({ ...subject, phase: 'before', response: null })
      expect(input.lastText).to.equal('u')
      const bare = { ...subject, request: { json: { ...tools, input: 'x' } } }
      const without = createCheckInput({ ...bare, phase: 'before', response: null })
      expect(without.lastParts.map(({ role }) => role)).not.to.contain('tool_definition')
    })

  it('include reasoning under its other name, and audio transcripts', () => {
    const message = {
      role: 'assistant',
      content: null,
      reasoning: 'r',
      audio: { id: 'i', data: 'no', transcript: 't' },
    }
    const parts = textParts('chatComplete', 'after', { choices: [{ message }] })
    expect(parts.map(({ text }) => text)).to.deep.equal(['r', 't'])
  })

  it('do not include token ids', () => {
    expect(textParts('embed', 'before', { input: [[1, 2], [3]] })).to.deep.equal([])
  })

  it('include the query and the documents of a rerank', () => {
    const body = { query: 'q', documents: ['a', { text: 'b', title: 'c' }] }
    expect(textParts('rerank', 'before', body).map((part) => `${part.role} ${part.path}`)).to.deep.equal([
      'query /query',
      'document /documents/0',
      'document /documents/1/text',
    ])
  })

  for (const [endpoint, body] of [
    ['embed', { data: [{ embedding: [1] }] }],
    ['rerank', { results: [{ index: 0, document: { text: 'a' } }] }],
  ] as const)
    it(`are empty for an answer of ${endpoint}`, () => {
      expect(textParts(endpoint, 'after', body as never)).to.deep.equal([])
    })

  it('are collected from any body without an exception', () => {
    assertProperty(
      fc.property(anything, (value) => {
        const body = {
          messages: value,
          choices: value,
          prompt: value,
          input: value,
          documents: value,
          data: value,
        }
        for (const endpoint of ['chatComplete', 'complete', 'embed', 'imageGenerate', 'rerank'] as const)
          for (const phase of ['before', 'after'] as const) textParts(endpoint, phase, body)
      }),
    )
  })
})

describe('a rewritten body', () => {
  it('shares the unchanged parts with the original', () => {
    const body = { messages: [{ content: 'a' }, { content: 'b' }], tools: [{}] }
    const changed = rewriteTexts(body, new Map([['/messages/1/content', 'c']]))
    expect(changed.tools).to.equal(body.tools)
    expect((changed.messages as Json[])[0]).to.equal(body.messages[0])
  })

  for (const path of [
    '',
    '/messages',
    '/messages/1/content',
    '/messages/length',
    '/constructor/name',
    'messages',
  ])
    it(`is refused for the pointer "${path}"`, () => {
      const body = { messages: [{ content: 'a' }] }
      expect(() => rewriteTexts(body, new Map([[path, 'b']]))).to.throw(Error)
    })
})

describe('a tool input', () => {
  const body = { content: [{ type: 'tool_use', input: { a: 'b' } }] }
  const path = '/content/0/input'

  it('is the object parsed from its text', () => {
    const changed = rewriteTexts(body, new Map([[path, '{"a":"c"}']]))
    expect(changed).to.deep.equal({ content: [{ type: 'tool_use', input: { a: 'c' } }] })
  })

  for (const text of ['', 'c', '[]', '{"a":'])
    it(`must stay an object: ${text}`, () => {
      expect(() => rewriteTexts(body, new Map([[path, text]]))).to.throw(Error, path)
    })
})

describe('the arguments of a tool call', () => {
  const bodyOf = (written: string) => ({ tool_calls: [{ function: { name: 'f', arguments: written } }] })
  const path = '/tool_calls/0/function/arguments'

  for (const text of ['', '[REDACTED]', '[]', '{"a":'])
    it(`must stay JSON: ${text}`, () => {
      expect(() => rewriteTexts(bodyOf('{"a":"b"}'), new Map([[path, text]]))).to.throw(Error, path)
    })

  it('can become any text when they were not JSON before', () => {
    const changed = rewriteTexts(bodyOf('{"a":'), new Map([[path, '[REDACTED]']]))
    expect(changed).to.deep.equal(bodyOf('[REDACTED]'))
  })
})

describe('a JSON pointer', () => {
  it('is parsed exactly', () => {
    assertProperty(
      fc.property(fc.array(fc.string()), (keys) => {
        expect(parsePointer(pointer(keys))).to.deep.equal(keys)
      }),
    )
  })

  it('escapes slashes and tildes', () => {
    expect(pointer(['a/b', 'm~n', '~1'])).to.equal('/a~1b/m~0n/~01')
  })
})

describe('the input of a check', () => {
  const subject = {
    endpoint: endpointOf('chatComplete'),
    provider: null,
    metadata: {},
    headers: {},
    request: { json: { messages: [{ content: 'a' }, { content: [{ text: 'b' }, { text: 'c' }] }] } },
  }
  const answer = { choices: [{ message: { content: 'x' } }, { message: { content: 'y' } }] }

  it('contains the conversation and the last message before the request', () => {
    const input = createCheckInput({ ...subject, phase: 'before', response: null })
    expect([input.text, input.lastText]).to.deep.equal(['a\nb\nc', 'b\nc'])
  })

  it('contains every choice after the request, also as the last message', () => {
    const input = createCheckInput({ ...subject, phase: 'after', response: { json: answer, status: 200 } })
    expect([input.text, input.lastText]).to.deep.equal(['x\ny', 'x\ny'])
  })

  it('keeps the parts of the last message separate from equal parts elsewhere', () => {
    const messages = [{ content: 'same' }, { content: 'same' }]
    const input = createCheckInput({
      ...subject,
      request: { json: { messages } },
      phase: 'before',
      response: null,
    })
    expect(input.lastParts.map(({ path }) => path)).to.deep.equal(['/messages/1/content'])
  })

  it('contains the text of a single-text request as the last message', () => {
    const json = { instructions: 'be kind', input: 'hello' }
    const input = createCheckInput({
      ...subject,
      endpoint: endpointOf('createModelResponse'),
      request: { json },
      phase: 'before',
      response: null,
    })
    expect([input.text, input.lastText]).to.deep.equal(['be kind\nhello', 'hello'])
  })

  it('collects texts once', () => {
    const input = createCheckInput({ ...subject, phase: 'before', response: null })
    expect(input.parts).to.equal(input.parts)
  })

  it('contains the given texts while an answer is still arriving', () => {
    const parts = [{ role: 'assistant', text: 'so far', path: '/choices/0/message/content' }]
    const input = createTextInput({
      ...subject,
      phase: 'after',
      response: { json: null, status: 200 },
      parts,
    })
    expect([input.parts, input.text, input.lastText]).to.deep.equal([parts, 'so far', 'so far'])
  })
})
