/** What the console's tables and forms name is what the published OpenAPI document describes: a renamed field fails here. */
import { isObject } from '@gateway/contract'
import { expect } from 'chai'
import { resources } from '#console/web/resources'
import { startGateway, type TestGateway } from '../../support/gateway.ts'

type Described = Record<string, unknown>

const objectOf = (value: unknown): Described => (isObject(value) ? value : {})

describe('the objects of the console', () => {
  let gateway: TestGateway
  let document: Described = {}
  before(async () => {
    gateway = await startGateway()
    document = (await (await gateway.get('/v1/openapi.json')).json()) as Described
  })
  after(() => gateway.stop())

  const at = (place: unknown, ...names: string[]): Described =>
    names.reduce((value, name) => resolved(value[name]), resolved(place))

  /** What a reference leads to. */
  function resolved(value: unknown): Described {
    const found = objectOf(value)
    if (typeof found.$ref !== 'string') return found
    return found.$ref
      .slice(2)
      .split('/')
      .reduce((place, name) => resolved(place[name]), document)
  }

  /** Of an object, with those of its alternatives and parts. */
  function members(value: unknown): Set<string> {
    const schema = resolved(value)
    const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => {
      const list = schema[name]
      return Array.isArray(list) ? list : []
    })
    return new Set([
      ...Object.keys(objectOf(schema.properties)),
      ...parts.flatMap((part) => [...members(part)]),
    ])
  }

  const json = ['content', 'application/json', 'schema'] as const
  const operation = (path: string, method: string) => at(document.paths, path, method)
  const sent = (path: string, method: string) => members(at(operation(path, method).requestBody, ...json))
  const answered = (path: string, method: string) =>
    members(at(operation(path, method).responses, '200', ...json))

  for (const { title, api, columns, fields, canCreate } of resources) {
    it(`${title}: its columns and fields`, () => {
      const one = answered(`${api}/{id}`, 'get')
      for (const { name } of columns) expect([...one], `column ${name}`).to.include(name)
      for (const { name, on } of fields) {
        if (on !== 'edit' && canCreate !== false)
          expect([...sent(api, 'post')], `new ${name}`).to.include(name)
        if (on !== 'create') expect([...sent(`${api}/{id}`, 'put')], `changed ${name}`).to.include(name)
      }
    })
  }
})
