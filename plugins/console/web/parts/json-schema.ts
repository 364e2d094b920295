/** Lists the members and values that a JSON schema allows at a position in a text. */
import type { Row } from '../api.ts'
import { rowOf, rowsOf } from '../json.ts'

export type Path = readonly (string | number)[]

export interface Proposal {
  label: string
  detail: string
}

const most = 32

/** All schemas that apply at a position, including every alternative. */
function schemasAt(root: Row, path: Path, document: unknown): Row[] {
  let places = expand(root, root)
  let value: unknown = document
  for (const step of path) {
    const found = places.flatMap((schema) => children(schema, step, value))
    places = found.flatMap((schema) => expand(schema, root)).slice(0, most)
    value = Array.isArray(value) ? value[Number(step)] : rowOf(value)[String(step)]
  }
  return places
}

function children(schema: Row, step: string | number, value: unknown): Row[] {
  if (typeof step === 'number') return [rowOf(schema.items)]
  const { [step]: named } = rowOf(schema.properties)
  if (named !== undefined) {
    // `x-by` is the gateway's own keyword: another member determines the schema, as in a list of checks.
    const { member, schemas } = rowOf(rowOf(named)['x-by'])
    const chosen = rowOf(schemas)[String(rowOf(value)[String(member)])]
    return [rowOf(chosen ?? named)]
  }
  return typeof schema.additionalProperties === 'object' ? [rowOf(schema.additionalProperties)] : []
}

/** Resolves the references and alternatives of a schema. */
function expand(schema: Row, root: Row, depth = 0): Row[] {
  if (depth > 6) return []
  const { $ref: reference } = schema
  const referred = typeof reference === 'string' ? [referredBy(root, reference)] : []
  const inner = [...referred, ...rowsOf(schema.anyOf), ...rowsOf(schema.oneOf), ...rowsOf(schema.allOf)]
  return [schema, ...inner.flatMap((one) => expand(one, root, depth + 1))].slice(0, most)
}

const referredBy = (root: Row, reference: string): Row =>
  reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter(Boolean)
    .reduce<Row>((place, name) => rowOf(place[name]), root)

const shortest = (text: unknown) => (typeof text === 'string' ? (text.split('\n', 1)[0] ?? '') : '')

/** Members that the object at a position does not have yet. */
export function membersAt(
  root: Row,
  path: Path,
  { document, present }: { document: unknown; present: ReadonlySet<string> },
): Proposal[] {
  const found = new Map<string, Proposal>()
  for (const { properties } of schemasAt(root, path, document)) {
    for (const [label, schema] of Object.entries(rowOf(properties))) {
      if (present.has(label) || found.has(label)) continue
      const { description, type } = rowOf(schema)
      found.set(label, { label, detail: shortest(description ?? type) })
    }
  }
  return [...found.values()]
}

/** Values that are allowed at a position, as JSON. */
export function valuesAt(root: Row, path: Path, document: unknown): Proposal[] {
  const found = new Map<string, Proposal>()
  const add = (value: unknown, detail = '') => {
    const label = JSON.stringify(value)
    if (!found.has(label)) found.set(label, { label, detail })
  }
  for (const schema of schemasAt(root, path, document)) {
    const { enum: values, const: only, type, default: usual } = schema
    for (const value of Array.isArray(values) ? values : []) add(value, value === usual ? 'default' : '')
    if (only !== undefined) add(only)
    if (type === 'boolean') {
      add(true)
      add(false)
    }
    if (usual !== undefined && (typeof usual !== 'object' || usual === null)) add(usual, 'default')
  }
  return [...found.values()]
}
