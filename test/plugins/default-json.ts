/** Cases of the check that validates JSON: jsonSchema. */
import type { JsonObject } from '@gateway/contract'
import { casesOf } from '@gateway/testing'
import { answers, toolCall } from './bodies.ts'

const schema = {
  type: 'object',
  properties: { age: { type: 'integer', minimum: 0 }, name: { type: 'string', pattern: '^[a-z]+$' } },
  required: ['age'],
  additionalProperties: false,
}
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1), b: 1 })

export const rows = casesOf('jsonSchema', [
  {
    name: 'passes JSON that fits',
    parameters: { schema },
    text: ' {"age": 3} \n',
    verdict: true,
    data: { choices: [{ fits: true }] },
  },
  {
    name: 'fails JSON that does not fit, and names the rule',
    parameters: { schema },
    text: '{"age": "three"}',
    verdict: false,
    data: {
      choices: [
        {
          fits: false,
          reason: 'schema',
          fault: {
            keyword: 'type',
            schemaPath: '#/properties/age/type',
            message: 'must be integer',
          },
        },
      ],
    },
  },
  {
    name: 'fails text without JSON',
    parameters: { schema },
    text: 'I am three years old.',
    verdict: false,
    data: { choices: [{ fits: false, reason: 'no_json' }] },
  },
  { name: 'not: fails JSON that fits', parameters: { schema, not: true }, text: '{"age":3}', verdict: false },
  { name: 'not: passes text without JSON', parameters: { schema, not: true }, text: 'hello', verdict: true },
  {
    name: 'finds a fenced block',
    parameters: { schema },
    text: 'Here:\n```json\n{\n  "age": 3\n}\n```\nThat is it.',
    verdict: true,
  },
  {
    name: 'passes over blocks of other languages',
    parameters: { schema },
    text: '```python\n{"age": 3}\n```\n',
    verdict: false,
  },
  {
    name: 'takes the block that fits among several',
    parameters: { schema },
    text: '```json\n[]\n```\n```json\n{"age": 3}\n```',
    verdict: true,
  },
  {
    name: 'ignores a block that is not closed',
    parameters: { schema },
    text: '```json\n{"age": 3}',
    verdict: false,
  },
  {
    name: 'wants every choice to fit',
    parameters: { schema },
    phase: 'after',
    response: answers('{"age": 3}', '{"age": -1}'),
    verdict: false,
  },
  {
    name: 'joins the parts of a choice’s content',
    parameters: { schema },
    response: {
      choices: [
        {
          message: {
            content: [
              { type: 'text', text: '{"age"' },
              { type: 'text', text: ': 3}' },
            ],
          },
        },
      ],
    },
    verdict: true,
  },
  {
    name: 'fails a choice that only calls tools',
    parameters: { schema: {} },
    response: { choices: [toolCall] },
    verdict: false,
  },
  {
    name: 'reads the choices of a completion',
    parameters: { schema },
    endpoint: 'complete',
    response: { choices: [{ index: 0, text: '{"age": 3}' }] },
    verdict: true,
  },
  {
    name: 'follows references within the schema',
    parameters: {
      schema: { $defs: { n: { type: 'integer' } }, type: 'array', items: { $ref: '#/$defs/n' } },
    },
    text: '[1, "2"]',
    verdict: false,
  },
  {
    name: 'takes slashes in a pattern for slashes',
    parameters: { schema: { type: 'string', pattern: '/a/' } },
    text: '"b a b"',
    verdict: false,
  },
  {
    name: 'checks uniqueItems independent of the order of members',
    parameters: { schema: { type: 'array', uniqueItems: true } },
    text: '[{"a":1,"b":2},{"b":2,"a":1}]',
    verdict: false,
  },
  {
    name: 'uses draft 7 when the schema declares it',
    parameters: {
      schema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        items: [{ type: 'string' }],
      },
    },
    text: '["a", 1]',
    verdict: true,
  },
  {
    name: 'keeps data that looks like a schema unchanged',
    parameters: { schema: { const: { $ref: 'https://schemas.example/a' } } },
    text: '{"$ref":"https://schemas.example/a"}',
    verdict: true,
  },
  {
    name: 'takes a property by the name of a keyword',
    parameters: {
      schema: { type: 'object', properties: { const: { type: 'integer' }, $ref: { type: 'string' } } },
    },
    text: '{"const":"a"}',
    verdict: false,
  },
  {
    name: 'judges each value once where references multiply',
    parameters: {
      schema: { allOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] },
    },
    text: JSON.stringify(nested(40)),
    verdict: true,
  },
  {
    name: 'ends a validation that takes too many steps',
    parameters: {
      schema: { anyOf: Array.from({ length: 2400 }, (_, index) => ({ contains: { const: index } })) },
    },
    text: JSON.stringify(Array.from({ length: 1000 }, (_, index) => -1 - index)),
    error: 'too many steps',
  },
  {
    name: 'refuses a schema that refers to itself in a circle',
    parameters: { schema: { $ref: '#' } },
    error: 'in a circle',
  },
  {
    name: 'refuses remote references',
    parameters: { schema: { items: { $ref: 'https://schemas.example/a' } } },
    error: 'refers outside of itself',
  },
  {
    name: 'refuses references to nowhere',
    parameters: { schema: { $ref: '#/$defs/none' } },
    error: "can't resolve reference",
  },
  { name: 'refuses a misspelt keyword', parameters: { schema: { requried: [] } }, error: 'requried' },
  { name: 'refuses a broken schema', parameters: { schema: { type: 'text' } }, error: 'not valid' },
  { name: 'refuses a broken pattern', parameters: { schema: { pattern: '(' } }, error: '(' },
  { name: 'refuses an unknown draft', parameters: { schema: { $schema: 'x' } }, error: '$schema' },
  {
    name: 'refuses members that would hide in the prototype',
    parameters: { schema: JSON.parse('{"__proto__": {"type": "string"}}') },
    error: '__proto__',
  },
  { name: 'refuses asynchronous schemas', parameters: { schema: { $async: true } }, error: '$async' },
  {
    name: 'refuses a schema that is too large',
    parameters: { schema: { enum: ['x'.repeat(100_000)] } },
    error: 'larger than',
  },
])
