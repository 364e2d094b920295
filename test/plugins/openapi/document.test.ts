/** The OpenAPI document generated from routes: its form, and the conversion of schemas, paths, scopes and aliases. */
import { buildDocument } from '@gateway/openapi'
import { Type } from '@sinclair/typebox'
import { expect } from 'chai'
import { describeRoutes } from '#core/endpoints/openapi'
import { endpoints } from '../../support/endpoints.ts'
import { objectOf } from '../../support/openapi.ts'
import { faultsOfDocument } from '../../support/openapi-faults.ts'

type Routes = Parameters<typeof buildDocument>[0]

const thing = Type.Object({ id: Type.String(), size: Type.Integer() }, { title: 'Thing' })

const route = (more: Partial<Routes[number]> = {}): Routes[number] => ({
  method: 'GET',
  path: '/v1/things/:id',
  operationId: 'thingRead',
  summary: 'Reads one',
  tag: 'Things',
  scope: 'things.read',
  answer: thing,
  ...more,
})

const build = (...routes: Routes) => {
  const document = buildDocument(routes, '1.2.3')
  expect(faultsOfDocument(document)).to.deep.equal([])
  return document
}

const at = (document: object, ...names: string[]): unknown =>
  names.reduce<unknown>((holder, name) => objectOf(holder)[name], document)

describe('the OpenAPI document', () => {
  it('is valid for the routes of the core', () => {
    const document = build(...describeRoutes(endpoints, []))
    expect(Object.keys(objectOf(document.paths))).to.include.members([
      '/v1/chat/completions',
      '/v1/models/{id}',
      '/models',
      '/v1/proxy/{rest}',
      '/healthz',
    ])
  })

  it('is reported as invalid when it is', () => {
    const document = structuredClone(build(route()))
    const operation = objectOf(at(document, 'paths', '/v1/things/{id}', 'get'))
    operation.parameters = []
    operation.responses = { '200': { content: {} } }
    objectOf(at(document, 'components', 'schemas')).Bad = { type: 'strange' }
    const faults = faultsOfDocument(document).join('\n')
    expect(faults).to.include('other path parameters')
    expect(faults).to.include('must have required property')
    expect(faults).to.include('Bad')
  })

  it('contains a named schema once, and references to it', () => {
    const document = build(
      route(),
      route({
        path: '/v1/things',
        operationId: 'thingList',
        answer: Type.Object({ data: Type.Array(thing) }),
      }),
    )
    const reference = { $ref: '#/components/schemas/Thing' }
    const content = ['responses', '200', 'content', 'application/json', 'schema']
    expect(at(document, 'paths', '/v1/things/{id}', 'get', ...content)).to.deep.equal(reference)
    const list = at(document, 'components', 'schemas', 'ThingListAnswer', 'properties', 'data', 'items')
    expect(list).to.deep.equal(reference)
    expect(at(document, 'components', 'schemas', 'Thing', 'required')).to.deep.equal(['id', 'size'])
  })

  it('contains an unnamed schema used twice only once', () => {
    const answer = Type.Object({ id: Type.String() })
    const copy = Type.Object({ id: Type.String() })
    const document = build(
      route({ answer }),
      route({ path: '/v1/others/:id', operationId: 'otherRead', answer: copy }),
    )
    expect(Object.keys(objectOf(at(document, 'components', 'schemas')))).to.have.members([
      'Error',
      'ThingReadAnswer',
    ])
  })

  it('keeps different schemas with the same name apart', () => {
    const other = Type.Object({ other: Type.String() }, { title: 'Thing' })
    const document = build(
      route(),
      route({ path: '/v1/others/:id', operationId: 'otherRead', answer: other }),
    )
    expect(Object.keys(objectOf(at(document, 'components', 'schemas')))).to.include.members([
      'Thing',
      'Thing2',
    ])
  })

  it('contains one parameter per query member', () => {
    const query = Type.Object({
      search: Type.String({ description: 'Within the name.' }),
      page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    })
    const document = build(route({ query }))
    expect(at(document, 'paths', '/v1/things/{id}', 'get', 'parameters')).to.deep.equal([
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'The id in the path.',
        example: '3f0c1a52-7f0e-4a39-9d27-1c5f4a8e9b10',
        schema: { type: 'string' },
      },
      {
        name: 'search',
        in: 'query',
        required: true,
        description: 'Within the name.',
        example: 'text',
        schema: { type: 'string', description: 'Within the name.' },
      },
      {
        name: 'page_size',
        in: 'query',
        required: false,
        schema: { type: 'integer', minimum: 1, maximum: 1000 },
      },
    ])
  })

  it('describes aliases as separate operations that name the main path', () => {
    const document = build(route({ aliases: ['/things/:id'] }))
    expect(at(document, 'paths', '/things/{id}', 'get', 'operationId')).to.equal('thingRead_2')
    expect(at(document, 'paths', '/things/{id}', 'get', 'x-alias-of')).to.equal('/v1/things/{id}')
  })

  const scopes: [Routes[number]['scope'], unknown, unknown, string[]][] = [
    ['things.read', 'things.read', undefined, ['401', '403', '404']],
    [['things.read'], 'things.read', undefined, ['401', '403', '404']],
    [['things.read', 'things.list'], ['things.read', 'things.list'], undefined, ['401', '403']],
    [null, null, undefined, ['401']],
    ['public', null, [], ['default']],
  ]
  for (const [scope, written, security, statuses] of scopes) {
    it(`states what a route requires: ${JSON.stringify(scope)}`, () => {
      const operation = objectOf(at(build(route({ scope })), 'paths', '/v1/things/{id}', 'get'))
      expect(operation['x-scope']).to.deep.equal(written)
      expect(operation.security).to.deep.equal(security)
      expect(Object.keys(objectOf(operation.responses))).to.include.members(statuses)
      if (scope === 'public') expect(operation.responses).not.to.have.any.keys('401', '403')
    })
  }

  const conversions: [string, object, object][] = [
    [
      'a tuple',
      { type: 'array', items: [{ type: 'string' }], additionalItems: false },
      {
        type: 'array',
        prefixItems: [{ type: 'string' }],
        items: false,
      },
    ],
    ['lists of dependencies', { dependencies: { a: ['b'] } }, { dependentRequired: { a: ['b'] } }],
    [
      'schemas of dependencies',
      { dependencies: { a: { required: ['b'] } } },
      {
        dependentSchemas: { a: { required: ['b'] } },
      },
    ],
    [
      'a sentence of ours',
      { type: 'string', explain: 'must be short' },
      {
        type: 'string',
        description: 'must be short',
      },
    ],
    [
      'a bound that another member gives',
      { type: 'integer', minimum: { $data: '1/n' } },
      { type: 'integer' },
    ],
    [
      'values that look like keywords',
      { enum: ['explain', { explain: 'a' }], default: { $data: 1 } },
      {
        enum: ['explain', { explain: 'a' }],
        default: { $data: 1 },
      },
    ],
    [
      'members that are named like keywords',
      { type: 'object', properties: { explain: { type: 'string' } } },
      {
        type: 'object',
        properties: { explain: { type: 'string' } },
      },
    ],
  ]
  for (const [what, schema, expected] of conversions) {
    it(`converts ${what} to JSON Schema 2020-12`, () => {
      const document = build(route({ answer: Type.Unsafe(schema) }))
      expect(at(document, 'components', 'schemas', 'ThingReadAnswer')).to.deep.equal(expected)
    })
  }
})
