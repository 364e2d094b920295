/** A body of `generateContent`: spelled as its format has it, validated, and translated for a chat provider. */
import { isObject, type JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { checkBody } from '#core/endpoints/body/validate-body'
import { contentBody } from '#dialect-gemini/body'
import { contentDialect } from '#dialect-gemini/dialect'
import { contentRequestTexts } from '#dialect-gemini/texts'
import { endpointOf } from '../../support/endpoints.ts'
import { jsonOf, refusesWith } from '../arbitraries.ts'
import { defineTarget } from '../target.ts'

const names = [
  ...['contents', 'parts', 'role', 'text', 'thought', 'thoughtSignature', 'thought_signature', 'inline_data'],
  ...[
    'inlineData',
    'mimeType',
    'data',
    'file_data',
    'fileUri',
    'functionCall',
    'function_call',
    'args',
    'name',
  ],
  ...['functionResponse', 'response', 'id', 'executableCode', 'tools', 'functionDeclarations', 'parameters'],
  ...['function_declarations', 'googleSearch', 'properties', 'type', 'any_of', 'nullable', 'enum', 'items'],
  ...['generationConfig', 'generation_config', 'response_schema', 'responseMimeType', 'thinkingConfig'],
  ...['thinking_budget', 'stopSequences', 'systemInstruction', 'toolConfig', 'functionCallingConfig', 'mode'],
]
const values = fc.constantFrom<unknown>(
  'model',
  'user',
  'x',
  'STRING',
  'ANY',
  'application/json',
  'image/png',
  'https://a.example/b.png',
  `${Buffer.from('gateway.{"blocks":[1,{"type":"thinking","signature":"s"}]}').toString('base64')}`,
  true,
  null,
  1,
  -1,
)
const json = jsonOf(names, values, 5)
const object = fc.dictionary(fc.constantFrom(...names), json, { maxKeys: 5 })
const list = (item: fc.Arbitrary<unknown>) => fc.array(item, { maxLength: 4 })
const content = fc.record({ role: fc.constantFrom('user', 'model', 'function'), parts: list(object) })

export const contents = defineTarget({
  name: 'contents',
  input: fc.record({
    body: fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ contents: list(content), tools: list(object), generationConfig: object }),
      },
      { weight: 2, arbitrary: object },
    ),
  }),
  read({ body }) {
    const given = body as JsonObject
    const read = contentBody(given, '/v1beta/models/m:generateContent')
    checkBody(endpointOf('generateContent'), read, 0)
    contentRequestTexts(read, [])
    const chat = contentDialect.request(read, {
      request: read,
      provider: 'test',
      webSearch: null,
      parameters: new Set(),
      strict: true,
      leftOut: [],
      share: 1,
      now: () => 0,
      id: (prefix) => prefix,
    })
    return { read, chat }
  },
  mayThrow: refusesWith('invalid_body'),
  check({ read, chat }) {
    expect(contentBody(read, '/v1beta/models/m:generateContent')).to.deep.equal(read)
    expect(chat.messages).to.be.an('array').and.not.to.have.lengthOf(0)
    const { messages } = chat as { messages: JsonObject[] }
    const ids = messages.flatMap(({ tool_calls: calls }) =>
      Array.isArray(calls) ? calls.filter(isObject) : [],
    )
    for (const { id } of ids) expect(id).to.be.a('string').and.not.to.equal('')
  },
})
