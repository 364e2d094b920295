/** JSON schemas within what structured outputs take. Source: https://docs.cohere.com/docs/structured-outputs */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { restOf } from './fixtures/chat.ts'

function schemaOf(schema: JsonObject): unknown {
  const format = { type: 'json_schema', json_schema: { name: 'n', strict: true, schema } }
  return (restOf({ response_format: format }).response_format as JsonObject).json_schema
}

const text = { type: 'string' }

describe('Cohere structured outputs', () => {
  it('are a JSON object with a schema', () => {
    const schema = { type: 'object', properties: { a: text }, required: ['a'], additionalProperties: false }
    const format = { type: 'json_schema', json_schema: { name: 'n', schema } }
    expect(restOf({ response_format: format })).to.deep.equal({
      response_format: { type: 'json_object', json_schema: schema },
    })
  })

  it('use the schema in JSON mode unchanged', () => {
    const schema = { type: 'object' }
    expect(restOf({ response_format: { type: 'json_object', schema } })).to.deep.equal({
      response_format: { type: 'json_object', json_schema: schema },
    })
  })

  const cases: [string, JsonObject, JsonObject][] = [
    ['formats that are known', { type: 'string', format: 'date' }, { type: 'string', format: 'date' }],
    [
      'other formats, in words',
      { type: 'string', format: 'email', description: 'Mail' },
      { type: 'string', description: 'Mail\nformat: "email"' },
    ],
    [
      'ranges and lengths, in words',
      { type: 'array', minItems: 1, maxItems: 3, items: { type: 'integer', minimum: 0 } },
      {
        type: 'array',
        items: { type: 'integer', description: 'minimum: 0' },
        description: 'minItems: 1, maxItems: 3',
      },
    ],
    ['patterns without anchors', { type: 'string', pattern: '^a+$' }, { type: 'string', pattern: 'a+' }],
    [
      'patterns of a part, in words',
      { type: 'string', pattern: 'a+' },
      { type: 'string', description: 'pattern: "a+"' },
    ],
    [
      'patterns with look-ahead, in words',
      { type: 'string', pattern: '^(?=a)b$' },
      { type: 'string', description: 'pattern: "^(?=a)b$"' },
    ],
    ['negated classes', { type: 'string', pattern: '^[^a]$' }, { type: 'string', pattern: '[^a]' }],
    ['oneOf as anyOf', { oneOf: [text, { type: 'null' }] }, { anyOf: [text, { type: 'null' }] }],
    [
      'allOf as one schema',
      {
        type: 'object',
        properties: { a: text },
        required: ['a'],
        allOf: [{ properties: { b: text }, required: ['b'] }, { allOf: [{ title: 'T' }] }],
      },
      { type: 'object', properties: { a: text, b: text }, required: ['a', 'b'], title: 'T' },
    ],
    [
      'something that every object requires',
      { type: 'object', properties: { a: { type: 'object', properties: { b: text } } } },
      {
        type: 'object',
        properties: { a: { type: 'object', properties: { b: text }, required: ['b'] } },
        required: ['a'],
      },
    ],
    [
      'definitions and references',
      { $schema: 's', $defs: { d: { type: 'string', maxLength: 3 } }, $ref: '#/$defs/d' },
      { $defs: { d: { type: 'string', description: 'maxLength: 3' } }, $ref: '#/$defs/d' },
    ],
  ]
  for (const [what, given, expected] of cases) {
    it(`contain ${what}`, () => expect(schemaOf(given)).to.deep.equal(expected))
  }

  it('do not change the given schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', minLength: 1 } } }
    const before = structuredClone(schema)
    schemaOf(schema)
    expect(schema).to.deep.equal(before)
  })
})
