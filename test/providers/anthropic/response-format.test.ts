/**
 * `response_format` → structured outputs.
 * Source: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { requestOf, user } from './fixtures/chat.ts'

function schemaOf(schema: JsonObject): unknown {
  const format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } }
  return requestOf({ response_format: format }).output_config
}

const sent = (schema: JsonObject) => ({ format: { type: 'json_schema', schema } })

describe('Anthropic response formats', () => {
  it('send nothing for text', () => {
    expect(requestOf({ response_format: { type: 'text' } })).to.not.have.any.keys('output_config', 'system')
  })

  it('put the schema into the prompt for a model without structured outputs', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const response_format = { type: 'json_schema', json_schema: { name: 'n', schema } }
    for (const model of ['claude-3-5-haiku-latest', 'claude-sonnet-4-20250514']) {
      const request = requestOf({ model, response_format })
      expect(request).to.not.have.property('output_config')
      expect(request.system).to.include(JSON.stringify(schema))
    }
  })

  it('send a closed schema unchanged', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', format: 'email' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['name', 'tags'],
      additionalProperties: false,
    }
    expect(schemaOf(schema)).to.deep.equal(sent(schema))
  })

  it('add additionalProperties false to every object', () => {
    const open = { type: 'object', properties: { a: { type: 'integer' } } }
    const closed = { ...open, additionalProperties: false }
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', items: open }, either: { oneOf: [open, { type: 'null' }] } },
      $defs: { open },
    }
    expect(schemaOf(schema)).to.deep.equal(
      sent({
        type: 'object',
        properties: { list: { type: 'array', items: closed }, either: { anyOf: [closed, { type: 'null' }] } },
        $defs: { open: closed },
        additionalProperties: false,
      }),
    )
  })

  const constraints: [string, JsonObject, JsonObject][] = [
    [
      'a range',
      { type: 'integer', minimum: 1, maximum: 5 },
      { type: 'integer', description: 'minimum: 1, maximum: 5' },
    ],
    [
      'a length, next to a description',
      { type: 'string', description: 'A code', maxLength: 4 },
      { type: 'string', description: 'A code\nmaxLength: 4' },
    ],
    [
      'an unknown format',
      { type: 'string', format: 'iban' },
      { type: 'string', description: 'format: "iban"' },
    ],
    ['a list of two at least', { type: 'array', minItems: 2 }, { type: 'array', description: 'minItems: 2' }],
  ]
  for (const [what, given, schema] of constraints) {
    it(`describe ${what} in words`, () => expect(schemaOf(given)).to.deep.equal(sent(schema)))
  }

  it('keep property names that look like keywords', () => {
    const schema = {
      type: 'object',
      properties: { minimum: { type: 'number' }, properties: { type: 'string' } },
    }
    expect(schemaOf(schema)).to.deep.equal(sent({ ...schema, additionalProperties: false }))
  })

  it('request JSON in the system prompt without a schema', () => {
    const response_format = { type: 'json_object' }
    const alone = requestOf({ response_format })
    const instructed = requestOf({
      response_format,
      messages: [{ role: 'system', content: 'Be kind.' }, user],
    })
    const parts = [{ type: 'text', text: 'Be kind.' }]
    const blocks = requestOf({ response_format, messages: [{ role: 'system', content: parts }, user] })
    expect(alone.system).to.match(/JSON object/)
    expect(instructed.system).to.equal(`Be kind.\n\n${String(alone.system)}`)
    expect(blocks.system).to.deep.equal([...parts, { type: 'text', text: alone.system }])
  })

  const refused: [string, JsonObject, string][] = [
    ['another format', { type: 'grammar' }, '/response_format/type'],
    [
      'a schema that is missing',
      { type: 'json_schema', json_schema: { name: 'x' } },
      '/response_format/json_schema/schema',
    ],
  ]
  for (const [what, format, param] of refused) {
    it(`refuse ${what}`, () => {
      const error = gatewayErrorOf(() => requestOf({ response_format: format }))
      expect(error).to.include({ code: 'invalid_body', param })
    })
  }
})
