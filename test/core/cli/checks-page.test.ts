/** The page of all checks, and the listing in the shell: each parameter as described by its schema. */
import type { Check, GuardrailPlugin } from '@gateway/contract'
import { type TSchema, Type } from '@sinclair/typebox'
import { expect } from 'chai'
import { parametersOf } from '#core/cli/check-parameters'
import { checksPage } from '#core/cli/checks-page'
import { emptyParts } from '#core/discovery/register'
import type { Registry } from '#flow/registry'

const check = (id: string, more: Partial<Check> = {}): Check => ({
  id,
  title: `The ${id} | check`,
  description: `Passes <b>${id}</b>.`,
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters: Type.Object({}, { additionalProperties: false }),
  prepare: () => ({ run: () => ({ verdict: true }) }),
  ...more,
})

const acme: GuardrailPlugin = {
  name: 'acme',
  title: 'Acme',
  settings: Type.Object(
    { apiKey: Type.String({ description: 'The key.' }) },
    { additionalProperties: false },
  ),
  checks: [
    check('judge', {
      deny: true,
      phases: ['after'],
      parameters: Type.Object(
        {
          words: Type.Array(Type.String(), { description: 'One | or two.' }),
          limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 9, default: 3, description: 'The most.' }),
          ),
        },
        { additionalProperties: false },
      ),
    }),
  ],
}
const local: GuardrailPlugin = { name: 'default', title: 'Local', checks: [check('one'), check('two')] }

function registryOf(...plugins: GuardrailPlugin[]): Registry {
  const checks = plugins.flatMap((plugin) =>
    plugin.checks.map((each) => [`${plugin.name}.${each.id}`, { plugin, check: each }] as const),
  )
  return { ...emptyParts(), keyless: [], checks: new Map(checks) }
}

describe('the generated page of checks', () => {
  const page = checksPage(registryOf(acme, local))

  it('is the same for the same plugins in any order, the local plugins first', () => {
    expect(checksPage(registryOf(local, acme))).to.equal(page)
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).to.deep.equal(['Local', 'Acme'])
  })

  it('lists the capabilities of service packages, each once, by name', () => {
    const needs = ['now', 'documents', 'now'] as const
    const services = [{ name: 'seen', title: 'Seen', needs, open: () => ({ routes: [] }) }]
    expect(checksPage({ ...registryOf(), services })).to.contain('| `seen` | Seen | `documents`, `now` |')
  })

  const said = [
    '| [`acme.judge`](#acme-judge) | The judge \\| check | guardrail | after |',
    '| [`default.one`](#default-one) | The one \\| check | guardrail | before, after |',
    '<a id="acme-judge"></a>',
    '### acme.judge',
    'Passes &lt;b>judge&lt;/b>.',
    'Denies when its hook does not say whether it should.',
    '`plugins.settings.acme`:',
    '| `apiKey` | string | required | The key. |',
    '| `words` | list of string | required | One \\| or two. |',
    '| `limit` | integer from 1 to 9 | 3 | The most. |',
    'No parameters.',
  ]
  for (const line of said) it(`contains: ${line}`, () => expect(page.split('\n')).to.include(line))
})

describe('the parameters of a check on that page', () => {
  const types: [type: string, schema: TSchema][] = [
    ['string', Type.String()],
    ['boolean', Type.Boolean()],
    ['integer', Type.Integer()],
    ['integer from 1', Type.Integer({ minimum: 1 })],
    ['number from 0 to 1', Type.Number({ minimum: 0, maximum: 1 })],
    ['number above 0 below 1', Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })],
    ['one of a, b', Type.Unsafe({ type: 'string', enum: ['a', 'b'] })],
    ['one of a, 2', Type.Union([Type.Literal('a'), Type.Literal(2)])],
    ['string or list of integer', Type.Union([Type.String(), Type.Array(Type.Integer())])],
    ['string or integer from 0', Type.Unsafe({ type: ['string', 'integer'], minimum: 0 })],
    ['map of string', Type.Record(Type.String(), Type.String())],
    ['list of anything', Type.Array(Type.Unknown())],
    ['object', Type.Object({})],
  ]
  for (const [type, schema] of types)
    it(`have the type ${type}`, () => {
      expect(parametersOf(Type.Object({ it: schema })).map((parameter) => parameter.type)).to.deep.equal([
        type,
      ])
    })

  it('are listed by path, with their members', () => {
    const rule = Type.Object({ name: Type.String(), from: Type.Optional(Type.Integer({ default: 0 })) })
    const names = (schema: TSchema) => parametersOf(Type.Object({ it: schema })).map(({ name }) => name)
    expect(names(rule)).to.deep.equal(['it', 'it.name', 'it.from'])
    expect(names(Type.Array(rule))).to.deep.equal(['it', 'it[].name', 'it[].from'])
    expect(names(Type.Record(Type.String(), rule))).to.deep.equal(['it', 'it.*.name', 'it.*.from'])
    expect(names(Type.Union([Type.String(), rule, Type.Array(rule)]))).to.deep.equal([
      'it',
      'it.name',
      'it.from',
      'it[].name',
      'it[].from',
    ])
  })

  it('are required when every alternative requires them', () => {
    const words = Type.Object({ kind: Type.String(), words: Type.String() })
    const rule = Type.Object({ kind: Type.String(), rule: Type.String() })
    const found = parametersOf(Type.Object({ it: Type.Array(Type.Union([words, rule])) }))
    expect(found.filter(({ isRequired }) => isRequired).map(({ name }) => name)).to.deep.equal([
      'it',
      'it[].kind',
    ])
  })

  it('show whether they are required, and their defaults', () => {
    const found = parametersOf(
      Type.Object({
        a: Type.String({ description: 'A.' }),
        b: Type.Optional(Type.Boolean({ default: false })),
      }),
    )
    expect(found).to.deep.equal([
      { name: 'a', type: 'string', isRequired: true, fallback: '', description: 'A.' },
      { name: 'b', type: 'boolean', isRequired: false, fallback: 'false', description: '' },
    ])
  })
})
