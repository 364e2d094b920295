/**
 * The operations of a PATCH body: https://www.rfc-editor.org/rfc/rfc7644#section-3.5.2
 * Errors: 400 `invalidSyntax`, `invalidPath`, `noTarget`.
 */
import { isObject, type Json } from '@gateway/contract'
import { parsePath, type ValuePath } from '../filter/parse-filter.ts'
import { invalid } from '../protocol/errors.ts'

type OperationName = 'add' | 'replace' | 'remove'

/** One change of one attribute: an operation without a path becomes one for each member of its value. */
export interface Operation {
  op: OperationName
  target: ValuePath
  value: Json
  /** Whether the operation has a path; otherwise the attribute is a member of its value, which may be read-only. */
  hasPath: boolean
}

const maxOperations = 1000
const messageSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

export function readOperations(body: unknown, knownUrns: readonly string[]): Operation[] {
  if (!isObject(body)) throw invalid('invalidSyntax', 'The body must be a JSON object.')
  const members = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]))
  const schemas = members.get('schemas')
  if (Array.isArray(schemas) && !schemas.includes(messageSchema)) {
    throw invalid('invalidSyntax', `schemas must contain ${messageSchema}.`)
  }
  const operations = members.get('operations')
  if (!Array.isArray(operations) || operations.length === 0) {
    throw invalid('invalidSyntax', 'Operations must be a list of at least one operation.')
  }
  if (operations.length > maxOperations) {
    throw invalid('tooMany', `A PATCH must have at most ${maxOperations} operations.`)
  }
  return operations.flatMap((operation) => readOperation(operation, knownUrns))
}

function readOperation(written: Json, knownUrns: readonly string[]): Operation[] {
  if (!isObject(written)) throw invalid('invalidSyntax', 'An operation must be an object.')
  const members = new Map(Object.entries(written).map(([name, value]) => [name.toLowerCase(), value]))
  const op = nameOf(members.get('op'))
  const path = members.get('path') ?? null
  const value = members.get('value') ?? null
  if (path !== null && typeof path !== 'string') throw invalid('invalidPath', 'path must be a string.')
  if (path !== null && path.trim() !== '') {
    const urn = knownUrns.find((one) => one.toLowerCase() === path.trim().toLowerCase())
    if (urn !== undefined) return ofExtension(op, urn, value)
    return [{ op, target: parsePath(path.trim()), value, hasPath: true }]
  }
  if (op === 'remove') throw invalid('noTarget', 'remove requires a path.')
  if (!isObject(value))
    throw invalid('invalidSyntax', `${op} without a path requires an object as its value.`)
  return Object.entries(value).flatMap(([name, member]) => {
    const urn = knownUrns.find((one) => one.toLowerCase() === name.toLowerCase())
    if (urn !== undefined) return ofExtension(op, urn, member ?? null)
    return [{ op, target: parsePath(name), value: member ?? null, hasPath: false }]
  })
}

/** The members under an extension's name are its attributes. */
function ofExtension(op: OperationName, urn: string, value: Json): Operation[] {
  if (op !== 'remove' && !isObject(value)) {
    throw invalid('invalidValue', `${urn} must be an object.`)
  }
  if (!isObject(value)) {
    const target: ValuePath = { path: { urn, name: '', part: null }, item: null }
    return [{ op, target, value: null, hasPath: true }]
  }
  return Object.entries(value).map(([name, member]) => ({
    op,
    target: parsePath(`${urn}:${name}`),
    value: member ?? null,
    hasPath: false,
  }))
}

function nameOf(written: Json | undefined): OperationName {
  const op = typeof written === 'string' ? written.toLowerCase() : ''
  if (op === 'add' || op === 'replace' || op === 'remove') return op
  throw invalid('invalidSyntax', 'op must be add, replace or remove.')
}
