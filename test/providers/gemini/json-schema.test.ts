/**
 * JSON Schemas converted to the subset that the API accepts. Source:
 * https://ai.google.dev/api/generate-content#FIELDS.response_json_schema
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { geminiSchema } from '#kit/dialect/gemini/json-schema'
import { assertProperty } from '../../support/assert-property.ts'

const cases: [string, JsonObject, JsonObject][] = [
  ['what it knows', { type: 'integer', minimum: 1, maximum: 9 }, { type: 'integer', minimum: 1, maximum: 9 }],
  ['types in a list', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
  ['a constant as an enumeration of one', { const: 'a' }, { enum: ['a'] }],
  ['null as a constant', { const: null }, { enum: [null] }],
  ['nullable as a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  [
    'an allOf of one as its member',
    { description: 'x', allOf: [{ type: 'string' }] },
    { description: 'x', type: 'string' },
  ],
  [
    'an allOf of one reference',
    { description: 'x', allOf: [{ $ref: '#/$defs/A' }] },
    { description: 'x', anyOf: [{ $ref: '#/$defs/A' }] },
  ],
  [
    'definitions of the older drafts',
    { $ref: '#/definitions/A', definitions: { A: { type: 'string', $comment: 'x' } } },
    { $ref: '#/$defs/A', $defs: { A: { type: 'string' } } },
  ],
  [
    'only a description around a reference, and no other keywords next to it',
    { properties: { a: { $ref: '#/$defs/A', description: 'x', default: 1 } }, $schema: 'y' },
    { properties: { a: { description: 'x', anyOf: [{ $ref: '#/$defs/A' }] } } },
  ],
  [
    'constraints that it does not know in the description',
    { type: 'string', description: 'A name', minLength: 1, pattern: '^a' },
    { type: 'string', description: 'A name\nminLength: 1, pattern: "^a"' },
  ],
  [
    'the same at every depth',
    { type: 'array', items: { anyOf: [{ type: 'number', multipleOf: 2 }] }, prefixItems: [true] },
    {
      type: 'array',
      items: { anyOf: [{ type: 'number', description: 'multipleOf: 2' }] },
      prefixItems: [{}],
    },
  ],
  [
    'properties that have the names of keywords',
    { type: 'object', properties: { const: { type: 'string' }, pattern: { type: 'string' } } },
    { type: 'object', properties: { const: { type: 'string' }, pattern: { type: 'string' } } },
  ],
  [
    'open and closed objects',
    { properties: { a: { additionalProperties: { const: 1 } } }, additionalProperties: false },
    { properties: { a: { additionalProperties: { enum: [1] } } }, additionalProperties: false },
  ],
]

describe('Gemini schemas', () => {
  for (const [what, given, sent] of cases) {
    it(`keep ${what}`, () => expect(geminiSchema(given)).to.deep.equal(sent))
  }

  it('are unchanged by a second translation, which never changes its input', () => {
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.record(
        {
          type: fc.constantFrom('object', 'string', 'array'),
          description: fc.string({ minLength: 1 }),
          const: fc.integer(),
          minimum: fc.integer(),
          properties: fc.dictionary(fc.constantFrom('a', 'const'), tie('schema'), {
            noNullPrototype: true,
            maxKeys: 2,
          }),
          items: tie('schema'),
          anyOf: fc.array(tie('schema'), { maxLength: 2 }),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
    }))
    assertProperty(
      fc.property(schema, (given) => {
        const before = structuredClone(given)
        const once = geminiSchema(given)
        expect(geminiSchema(once)).to.deep.equal(once)
        expect(given).to.deep.equal(before)
      }),
    )
  })
})
