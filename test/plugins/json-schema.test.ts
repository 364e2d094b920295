/** Schemas of callers: the same verdicts as Ajv's, in a bounded number of steps. */
import { isGatewayError, type Json, type JsonObject } from '@gateway/contract'
import { compileSchema, type SchemaFault } from '@gateway/plugin-kit/json-schema'
import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'
import { doublingSchema } from '../support/doubling-schema.ts'

interface Judged {
  fault: SchemaFault | null
  turns: number
}

function judge(schema: JsonObject, value: unknown): Judged {
  const run = compileSchema(schema)(value)
  for (let turns = 1; ; turns += 1) {
    const step = run.next()
    if (step.done === true) return { fault: step.value, turns }
  }
}

function codeOf(work: () => unknown): string {
  try {
    work()
    return 'none'
  } catch (error) {
    if (isGatewayError(error)) return error.code
    throw error
  }
}

const nestedLists = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}

interface Draft {
  uri: string
  ajv: Ajv | Ajv2019 | Ajv2020
  since: number
}

const ajvOptions = { strict: false, validateFormats: false, logger: false, validateSchema: false } as const
const drafts: readonly [Draft, ...Draft[]] = [
  { uri: 'http://json-schema.org/draft-07/schema#', ajv: new Ajv(ajvOptions), since: 7 },
  { uri: 'https://json-schema.org/draft/2019-09/schema', ajv: new Ajv2019(ajvOptions), since: 2019 },
  { uri: 'https://json-schema.org/draft/2020-12/schema', ajv: new Ajv2020(ajvOptions), since: 2020 },
]

function compare(draft: number, given: JsonObject, candidates: unknown[]): void {
  const { uri, ajv, since } = drafts[draft] ?? drafts[0]
  const schema: JsonObject = { ...comparable(given, since), $defs, $schema: uri }
  const validate = ajv.compile(schema)
  for (const value of candidates) {
    const { fault } = judge(schema, value)
    const verdict = verdictOf(() => validate(value) === true)
    if (verdict === null) continue
    expect(fault === null, `${JSON.stringify(schema)} on ${JSON.stringify(value)}`).to.equal(verdict)
  }
}

/** Null if the code that Ajv generates breaks, as for `patternProperties` next to `oneOf` with references. */
function verdictOf(validate: () => boolean): boolean | null {
  try {
    return validate()
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

const newer: Readonly<Record<string, number>> = {
  prefixItems: 2020,
  unevaluatedProperties: 2019,
  unevaluatedItems: 2019,
  dependentRequired: 2019,
  dependentSchemas: 2019,
  minContains: 2019,
  maxContains: 2019,
}

/**
 * Against the specification, Ajv counts members and items that a failed branch has evaluated as evaluated (`anyOf: [{},
 * {items: …}]`), and all items next to `contains`. Schemas with these are therefore not compared for unevaluated
 * members. It skips `contains` if the list is shorter than `prefixItems`.
 */
const misjudged = /"(anyOf|oneOf|if|dependentSchemas|contains)":/
const unevaluated: ReadonlySet<string> = new Set(['unevaluatedItems', 'unevaluatedProperties'])

/** A schema without the keywords that its draft does not have, and those of which Ajv is no judge. */
function comparable(given: JsonObject, since: number): JsonObject {
  const isMisjudged = misjudged.test(JSON.stringify(given))
  const isKept = (name: string) =>
    (newer[name] ?? 0) <= since &&
    (name !== 'additionalItems' || since < 2020) &&
    !(isMisjudged && unevaluated.has(name))
  const text = JSON.stringify(given, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const skips = 'prefixItems' in value ? 'contains' : null
    return Object.fromEntries(Object.entries(value).filter(([name]) => isKept(name) && name !== skips))
  })
  return JSON.parse(text)
}

const types = fc.constantFrom('string', 'integer', 'number', 'object', 'array', 'null', 'boolean')
/** Every schema has these definitions. */
const $defs: JsonObject = {
  s: { type: 'string' },
  list: { items: { $ref: '#/$defs/s' }, minItems: 1 },
  deep: { properties: { a: { $ref: '#/$defs/deep' } }, type: 'object' },
}
const references = fc.constantFrom('s', 'list', 'deep').map((name) => ({ $ref: `#/$defs/${name}` }))
const names = fc.constantFrom('a', 'b', 'c', 'ab')
const count = fc.nat(3)
const scalars = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.5, 2.5),
  names,
)

const { value: values } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalars,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

/** Schemas with up to three of these keywords. */
function someOf(keywords: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> {
  const single = Object.entries(keywords).map(([name, arbitrary]) =>
    arbitrary.map((value): JsonObject => ({ [name]: value })),
  )
  return fc
    .array(fc.oneof(...single), { maxLength: 3 })
    .map((members) => Object.assign({}, ...members) as JsonObject)
}

const { schema: schemas } = fc.letrec<{ schema: JsonObject; inner: JsonObject | boolean }>((tie) => ({
  inner: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), references, tie('schema')),
  schema: someOf({
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
    enum: fc.array(values, { minLength: 1, maxLength: 3 }),
    const: values,
    minimum: count,
    exclusiveMaximum: count,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom('a', '^b$', '[ac]+'),
    required: fc.uniqueArray(names, { maxLength: 2 }),
    minProperties: count,
    maxItems: count,
    properties: fc.dictionary(names, tie('inner'), { maxKeys: 3 }),
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('inner'), { maxKeys: 2 }),
    additionalProperties: tie('inner'),
    propertyNames: tie('inner'),
    unevaluatedProperties: tie('inner'),
    dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
    dependentSchemas: fc.dictionary(names, tie('inner'), { maxKeys: 2 }),
    prefixItems: fc.array(tie('inner'), { minLength: 1, maxLength: 2 }),
    items: tie('inner'),
    contains: tie('inner'),
    minContains: count,
    unevaluatedItems: tie('inner'),
    uniqueItems: fc.boolean(),
    allOf: fc.array(tie('inner'), { minLength: 1, maxLength: 2 }),
    anyOf: fc.array(tie('inner'), { minLength: 1, maxLength: 2 }),
    oneOf: fc.array(tie('inner'), { minLength: 1, maxLength: 2 }),
    not: tie('inner'),
    if: tie('inner'),
    then: tie('inner'),
    else: tie('inner'),
  }),
}))

describe('a schema of a caller', () => {
  for (const keyword of ['anyOf', 'allOf', 'oneOf'])
    it(`that refers twice to the next, 24 times, with ${keyword}, is judged in one turn`, () => {
      const schema = doublingSchema(24, keyword, { type: 'string' })
      expect(judge(schema, 1).turns).to.equal(1)
      expect(judge(schema, { a: [1] }).fault).not.to.equal(null)
    })

  it('doubles without definitions as well, and is judged in one turn', () => {
    let schema: JsonObject = { type: 'string' }
    let path = '#'
    for (let level = 0; level < 20; level += 1) path += '/anyOf/0'
    for (let level = 0; level < 20; level += 1) {
      schema = { anyOf: [schema, { $ref: path }] }
      path = path.slice(0, -'/anyOf/0'.length)
    }
    expect(judge(schema, 1)).to.deep.include({ turns: 1 })
  })

  it('that multiplies over a deep value ends, because outcomes are kept', () => {
    const twice = { properties: { a: { $ref: '#' } } }
    let value: JsonObject = { a: 1 }
    for (let level = 0; level < 60; level += 1) value = { a: value, b: 1 }
    expect(judge({ allOf: [twice, twice] }, value).turns).to.equal(1)
  })

  it('takes deep values without a deep call stack, up to a bound', () => {
    expect(judge({ items: { $ref: '#' } }, nestedLists(4000)).fault).to.equal(null)
    expect(codeOf(() => judge({ items: { $ref: '#' } }, nestedLists(20_000)))).to.equal('schema_too_complex')
    expect(codeOf(() => judge({ uniqueItems: true }, nestedLists(5000)))).to.equal('schema_too_complex')
  })

  it('pauses on large values', () => {
    const value = Array.from({ length: 50_000 }, (_, number) => ({ number }))
    const { fault, turns } = judge({ uniqueItems: true, items: { required: ['number'] } }, value)
    expect(fault).to.equal(null)
    expect(turns).to.be.above(20)
  })

  it('takes no more steps than its value’s size allows', () => {
    const many = Array.from({ length: 4000 }, (_, index) => ({ contains: { const: index } }))
    const value = Array.from({ length: 100 }, (_, index) => -index)
    expect(codeOf(() => judge({ anyOf: many }, value))).to.equal('schema_too_complex')
  })

  const tooLarge: [string, JsonObject][] = [
    ['characters', { enum: ['x'.repeat(100_000)] }],
    ['subschemas', { anyOf: Array.from({ length: 6000 }, () => ({})) }],
    ['references', { anyOf: Array.from({ length: 2500 }, () => ({ $ref: '#/$defs/a' })), $defs: { a: {} } }],
    ['depth', JSON.parse(`${'{"not":'.repeat(70)}{}${'}'.repeat(70)}`)],
    ['patterns', { pattern: '\\pL'.repeat(2000) }],
    [
      'patterns together',
      { allOf: Array.from({ length: 20 }, (_, index) => ({ pattern: `a{${900 + index}}` })) },
    ],
    [
      'subschemas in a row for one value',
      {
        $defs: Object.fromEntries(
          Array.from({ length: 300 }, (_, index) => [
            `d${index}`,
            index === 299 ? {} : { $ref: `#/$defs/d${index + 1}` },
          ]),
        ),
        $ref: '#/$defs/d0',
      },
    ],
  ]
  for (const [what, schema] of tooLarge)
    it(`is refused as too complex by its ${what}`, () => {
      expect(codeOf(() => compileSchema(schema))).to.equal('schema_too_complex')
    })

  it('judges patterns in turns', () => {
    const text = 'ab'.repeat(200_000)
    expect(judge({ pattern: '[ab]*a[ab]{10}[cd]$' }, text).turns).to.be.above(3)
  })

  it('finds anchors, embedded resources and recursive references', () => {
    const tree: JsonObject = {
      $defs: { node: { $anchor: 'n', properties: { next: { $ref: '#n' } }, required: ['v'] } },
      $ref: '#n',
    }
    expect(judge(tree, { v: 1, next: { v: 1 } }).fault).to.equal(null)
    expect(judge(tree, { v: 1, next: {} }).fault?.path).to.equal('/next/v')
    const embedded: JsonObject = {
      properties: { a: { $id: 'inner', $defs: { s: { type: 'string' } }, $ref: '#/$defs/s' } },
    }
    expect(judge(embedded, { a: 1 }).fault?.keyword).to.equal('type')
    const dynamic: JsonObject = {
      $dynamicAnchor: 'n',
      properties: { next: { $dynamicRef: '#n' } },
      unevaluatedProperties: false,
    }
    expect(judge(dynamic, { next: { next: {} } }).fault).to.equal(null)
    expect(judge(dynamic, { next: { other: {} } }).fault?.keyword).to.equal('unevaluatedProperties')
  })

  it('takes nothing for evaluated that only a failed branch has evaluated', () => {
    const strings = { type: 'string' }
    const items = { anyOf: [{}, { items: strings, minItems: 1 }], unevaluatedItems: false }
    expect(judge(items, ['a']).fault).to.equal(null)
    expect(judge(items, [1]).fault?.keyword).to.equal('unevaluatedItems')
    const properties = {
      oneOf: [{}, { additionalProperties: strings, minProperties: 1 }],
      unevaluatedProperties: false,
    }
    expect(judge(properties, { a: 1 }).fault?.keyword).to.equal('unevaluatedProperties')
    const condition = { if: { items: strings, minItems: 1 }, unevaluatedItems: false }
    expect(judge(condition, ['a']).fault).to.equal(null)
    expect(judge(condition, [1]).fault?.keyword).to.equal('unevaluatedItems')
  })

  it('counts items as evaluated by contains from draft 2020-12 on, and only those that match', () => {
    const schema = { contains: { type: 'string' }, unevaluatedItems: { type: 'number' } }
    const newest = { ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' }
    expect(judge(newest, ['a', 1]).fault).to.equal(null)
    expect(judge(newest, ['a', null]).fault?.path).to.equal('/1')
    const older = { ...schema, $schema: 'https://json-schema.org/draft/2019-09/schema' }
    expect(judge(older, ['a', 1]).fault?.path).to.equal('/0')
  })

  it('gives the verdicts of Ajv, in every draft', () => {
    const property = fc.property(
      fc.nat(drafts.length - 1),
      schemas,
      fc.array(values, { maxLength: 5 }),
      compare,
    )
    assertProperty(property, { numRuns: 300 })
  })

  it('costs a bounded number of turns for any schema and value', () => {
    const property = fc.property(schemas, values, (schema, value) => {
      const { turns } = judge({ ...schema, $defs }, value)
      expect(turns).to.be.at.most(30)
    })
    assertProperty(property, { numRuns: 300 })
  })
})
