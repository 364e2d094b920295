/**
 * The errors of an OpenAPI document: in its structure, in its schemas, and those that only the whole document shows.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createAjv, objectOf } from './openapi.ts'
import { openapiSchema } from './openapi-schema.ts'

type Described = Record<string, unknown>

const structure = new Ajv2020({ strict: false, allErrors: true }).compile(openapiSchema)

/** A sentence for each error; empty for a valid document. */
export function faultsOfDocument(document: Described): string[] {
  const faults: string[] = []
  if (!structure(document)) {
    for (const { instancePath, message, keyword } of structure.errors ?? []) {
      if (keyword !== 'if') faults.push(`${instancePath} ${message}`)
    }
  }
  faults.push(...faultsOfReferences(document), ...faultsOfSchemas(document), ...faultsOfOperations(document))
  return faults
}

/** Every reference leads somewhere. */
function faultsOfReferences(document: Described): string[] {
  const found: string[] = []
  walk(document, '', (value, place) => {
    const { $ref: reference } = value
    if (typeof reference !== 'string' || place.endsWith('/properties')) return
    const names = reference.slice(2).split('/')
    const target = names.reduce<unknown>((holder, name) => objectOf(holder)[name], document)
    if (!reference.startsWith('#/') || target === undefined) found.push(`${place} refers to ${reference}`)
  })
  return found
}

/** Every schema is one of JSON Schema 2020-12, and compiles. */
function faultsOfSchemas(document: Described): string[] {
  const found: string[] = []
  const meta = new Ajv2020({ strict: false })
  const check = (schema: unknown, place: string) => {
    if (!meta.validateSchema(schema as object)) found.push(`${place}: ${meta.errorsText(meta.errors)}`)
  }
  const { schemas } = objectOf(document.components)
  for (const [name, schema] of Object.entries(objectOf(schemas))) check(schema, name)
  walk(document.paths, '/paths', (value, place) => {
    const isHolder = /\/(parameters\/\d+|content\/[^ ]+)$/.test(place)
    if (isHolder && value.schema !== undefined) check(value.schema, place)
  })
  const ajv = createAjv(document)
  for (const name of Object.keys(objectOf(schemas))) {
    try {
      ajv.compile({ $ref: `document#/components/schemas/${name}` })
    } catch (error) {
      found.push(`${name}: ${String(error)}`)
    }
  }
  return found
}

/** Ids stand once, templates are told apart, path parameters are those of the path, parameters stand once. */
function faultsOfOperations(document: Described): string[] {
  const found: string[] = []
  const ids = new Set<unknown>()
  const shapes = new Map<string, string>()
  for (const [path, item] of Object.entries(objectOf(document.paths))) {
    const shape = path.replace(/\{[^}]*\}/g, '{}')
    const other = shapes.get(shape)
    if (other !== undefined) found.push(`${path} is the same template as ${other}`)
    shapes.set(shape, path)
    for (const [method, operation] of Object.entries(objectOf(item))) {
      const { operationId, parameters, tags, responses } = objectOf(operation)
      const what = `${method} ${path}`
      if (ids.has(operationId)) found.push(`${what} has the id ${String(operationId)} again`)
      ids.add(operationId)
      if (!('x-scope' in objectOf(operation))) found.push(`${what} has no x-scope`)
      const listed = (Array.isArray(parameters) ? parameters : []).map(objectOf)
      const inPath = listed.filter((each) => each.in === 'path').map((each) => `{${String(each.name)}}`)
      const written = path.match(/\{[^}]*\}/g) ?? []
      if (inPath.sort().join() !== written.sort().join()) found.push(`${what} has other path parameters`)
      const keys = listed.map((each) => `${String(each.in)} ${String(each.name)}`)
      if (new Set(keys).size !== keys.length) found.push(`${what} has a parameter twice`)
      const known = Array.isArray(document.tags) ? document.tags.map((tag) => objectOf(tag).name) : []
      for (const tag of Array.isArray(tags) ? tags : [])
        if (!known.includes(tag)) found.push(`${what}: ${tag}`)
      if (objectOf(responses).default === undefined) found.push(`${what} says nothing of errors`)
    }
  }
  return found
}

function walk(value: unknown, place: string, visit: (value: Described, place: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Described, place)
  for (const [name, member] of Object.entries(value)) walk(member, `${place}/${name}`, visit)
}
