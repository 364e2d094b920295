/** Every property of the published schemas has a description, and no description is for a property that does not exist. */
import { isObject } from '@gateway/contract'
import { expect } from 'chai'
import { propertyDescriptions } from '#config-file/descriptions'
import { publishSchemas } from '#config-file/publish'

interface Property {
  path: string
  name: string
  schema: unknown
}

function propertiesOf(value: unknown, path = ''): Property[] {
  if (Array.isArray(value)) return value.flatMap((item) => propertiesOf(item, path))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, child]) => {
    if (key !== 'properties' || !isObject(child)) return propertiesOf(child, path)
    return Object.entries(child).flatMap(([name, schema]) => [
      { path: `${path}/${name}`, name, schema },
      ...propertiesOf(schema, `${path}/${name}`),
    ])
  })
}

describe('the published schemas', () => {
  const properties = publishSchemas([]).flatMap(({ text }) => propertiesOf(JSON.parse(text)))

  it('describe every property', () => {
    expect(properties.length).to.be.greaterThan(500)
    const bare = properties.filter(
      ({ schema }) => !isObject(schema) || typeof schema.description !== 'string',
    )
    expect(bare.map(({ path }) => path)).to.deep.equal([])
  })

  it('contain every property that has a description', () => {
    const names = new Set(properties.map(({ name }) => name))
    const unknown = Object.keys(propertyDescriptions).filter((key) => !names.has(key.split('.').at(-1) ?? ''))
    expect(unknown).to.deep.equal([])
  })
})
