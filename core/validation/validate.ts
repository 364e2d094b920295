/**
 * One configuration of Ajv for everything that comes from outside: bodies, configs, the config file, check parameters. Errors are listed
 * with their JSON paths; a failed `anyOf` is reported once, at the right path. Also the rules for every JSON body,
 * whatever its schema.
 */

import { createHash } from 'node:crypto'
import {
  type ErrorCode,
  type Fault,
  GatewayError,
  hasPrototypeKey,
  isDeeperThan,
  isObject,
} from '@gateway/contract'
import { guessOf, mustBeOneOf } from '@gateway/domain'
import type { TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import type { AnyValidateFunction } from 'ajv/dist/types/index.js'
import { bundledValidators } from './bundled.ts'
import { schemaMessage, typesInWords } from './schema-message.ts'

export type { ErrorObject } from 'ajv'

/** More errors would not help the reader and cost memory. */
const maxFaults = 100

/** A value with more nodes is read up to its first error: listing the errors of a hostile one takes seconds. */
const maxListedNodes = 5000

/** For schemas that refer to themselves: Ajv's time grows with the square of the number of errors. */
export const maxListedRecursiveNodes = 500

const options = {
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  verbose: true,
  $data: true,
  // Our own schemas are known to be valid, and checking costs 100 ms each; schemas of packages are checked once.
  validateSchema: false,
  // Optimizing would double the compile time, and V8 optimizes the code anyway.
  code: { optimize: false },
} as const

function createAjv(allErrors: boolean, more: Options = {}): Ajv {
  const ajv = new Ajv({ ...options, allErrors, ...more })
  ajv.addKeyword('explain')
  ajv.addKeyword('explainMissing')
  ajv.addKeyword('trim')
  // Used by the settings of the config file.
  ajv.addKeyword('unit')
  ajv.addKeyword('restart')
  return ajv
}

/**
 * Returns the errors of a value, or null when it is valid.
 * @param sizeBytes size of its JSON text, if known, which
 * saves counting
 */
export type Validator = (value: unknown, sizeBytes?: number) => ErrorObject[] | null

/**
 * Compiled forms by schema: a second gateway in one process, or a second resource with the same schema, compiles
 * nothing.
 */
const compiled = new WeakMap<object, { all: ValidateFunction | null; first: ValidateFunction | null }>()

/**
 * Compiles a schema on first use, because a start should not wait for hundreds of schemas. The validator lists every
 * error in one pass.
 * @param maxNodes if a value has more members than this, only the first error is found
 */
export function createValidator(schema: TSchema | object, maxNodes = maxListedNodes): Validator {
  const forms = compiled.get(schema) ?? { all: null, first: null }
  compiled.set(schema, forms)
  return (value, sizeBytes) => {
    let validate: ValidateFunction
    if (isLarge(value, maxNodes, sizeBytes)) {
      forms.first ??= createAjv(false).compile(schema)
      validate = forms.first
    } else {
      forms.all ??= bundledValidators[schemaKey(schema)] ?? createAjv(true).compile(schema)
      validate = forms.all
    }
    return validate(value) ? null : (validate.errors ?? [])
  }
}

/** Compiles a schema with defaults filled in: for check parameters. The value given is changed. */
export function createFillingValidator(schema: TSchema | object): Validator {
  const all = createAjv(true, { useDefaults: true }).compile(schema)
  let first: ValidateFunction | null = null
  return (value) => {
    let validate = all
    if (isLarge(value, maxListedNodes)) {
      first ??= createAjv(false, { useDefaults: true }).compile(schema)
      validate = first
    }
    return validate(value) ? null : (validate.errors ?? [])
  }
}

/** Each node takes at least two bytes of JSON, so short texts need not be counted. */
const isLarge = (value: unknown, maxNodes: number, sizeBytes = Number.POSITIVE_INFINITY): boolean =>
  sizeBytes > 2 * maxNodes && hasMoreNodes(value, maxNodes)

/** Whether a parsed value has more members than this in total; stops counting at the limit. */
function hasMoreNodes(value: unknown, limit: number): boolean {
  let left = limit
  const open: unknown[] = [value]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== 'object' || node === null) continue
    if (Array.isArray(node)) {
      left -= node.length
      if (left < 0) return true
      for (const member of node) if (typeof member === 'object' && member !== null) open.push(member)
      continue
    }
    for (const name in node) {
      left -= 1
      if (left < 0) return true
      const member: unknown = (node as Record<string, unknown>)[name]
      if (typeof member === 'object' && member !== null) open.push(member)
    }
  }
  return false
}

/** The key of a schema in a bundle: its own text. */
export const schemaKey = (schema: object | string): string =>
  typeof schema === 'string'
    ? schema
    : createHash('sha256').update(JSON.stringify(schema)).digest('base64url')

/** Id of the meta-schema. */
export const metaSchemaId = 'http://json-schema.org/draft-07/schema'

/** Compiles a schema, or the one of an id, so that the validator can be written out as a module. */
export function compileForText(schema: object | string): { ajv: Ajv; validate: AnyValidateFunction } {
  const ajv = createAjv(typeof schema !== 'string', { code: { source: true, esm: true, optimize: true } })
  const validate = typeof schema === 'string' ? ajv.getSchema(schema) : ajv.compile(schema)
  if (validate === undefined) throw new TypeError(`Unknown schema ${String(schema)}.`)
  return { ajv, validate }
}

/** Packages have the same schemas at each start and reload. */
const correctSchemas = new WeakSet<object>()
let checkSchema: AnyValidateFunction | undefined = bundledValidators[metaSchemaId]

/** The error of a package's schema, or null. */
export function faultOfSchema(schema: TSchema | object): string | null {
  if (!isObject(schema)) return 'is not an object'
  if (correctSchemas.has(schema)) return null
  // Shared, because compiling the meta-schema is slow.
  checkSchema ??= compileForText(metaSchemaId).validate
  if (checkSchema(schema) === true) {
    correctSchemas.add(schema)
    return null
  }
  const [error] = checkSchema.errors ?? []
  return error === undefined
    ? 'is not a schema'
    : `${error.instancePath || '/'} ${error.message ?? 'is wrong'}`
}

/** Ajv's errors as faults, `prefix` before each path: `config` + `/targets/1/weight`. */
export function toFaults(errors: readonly ErrorObject[], code: ErrorCode, prefix = ''): Fault[] {
  const seen = new Set<string>()
  const faults: Fault[] = []
  for (const error of summarise(errors)) {
    const fault = {
      param: prefix + paramOf(error),
      code,
      message: messageOf(error),
    }
    const key = `${fault.param} ${fault.message}`
    if (seen.has(key)) continue
    seen.add(key)
    faults.push(fault)
    if (faults.length === maxFaults) break
  }
  return faults
}

/** An `anyOf` that nothing matched; `isExplained` when an error inside says more than itself. */
interface Union {
  error: ErrorObject
  isExplained: boolean
}

/** Unions by their path in the schema, then by their path in the value: a hostile value can contain very many. */
type Unions = ReadonlyMap<string, ReadonlyMap<string, Union>>

/**
 * Drops redundant errors: conditions, and the branches of an `anyOf` unless one of them has an error at a deeper
 * path.
 */
function summarise(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = collectUnions(errors)
  const kept = errors.filter((error) => {
    if (error.keyword === 'if' || error.keyword === 'propertyNames') return false
    const owners = ownersOf(error, unions)
    for (const owner of owners) if (isDeeperFault(error, owner.error)) owner.isExplained = true
    const [nearest] = owners
    return error.keyword === 'anyOf' || nearest === undefined || isDeeperFault(error, nearest.error)
  })
  return unknownKeyFirst(
    kept.filter(({ keyword, schemaPath, instancePath }) => {
      return keyword !== 'anyOf' || unions.get(schemaPath)?.get(instancePath)?.isExplained !== true
    }),
  )
}

/** A misspelt key is usually why something else is missing at the same place. */
function unknownKeyFirst(errors: ErrorObject[]): ErrorObject[] {
  const [first] = errors
  const unknown = errors.find(
    ({ keyword, instancePath }) => keyword === 'additionalProperties' && instancePath === first?.instancePath,
  )
  if (first === undefined || unknown === undefined || first.keyword === 'required') return errors
  return [unknown, ...errors.filter((error) => error !== unknown)]
}

function collectUnions(errors: readonly ErrorObject[]): Unions {
  const unions = new Map<string, Map<string, Union>>()
  for (const error of errors) {
    if (error.keyword !== 'anyOf') continue
    const known = unions.get(error.schemaPath) ?? new Map<string, Union>()
    unions.set(error.schemaPath, known.set(error.instancePath, { error, isExplained: false }))
  }
  return unions
}

/** The unions that an error is a branch of, the nearest first. */
function ownersOf(error: ErrorObject, unions: Unions): Union[] {
  const owners: Union[] = []
  for (const [schemaPath, places] of unions) {
    if (!error.schemaPath.startsWith(`${schemaPath}/`)) continue
    for (let path = error.instancePath; ; path = path.slice(0, path.lastIndexOf('/'))) {
      const owner = places.get(path)
      if (owner !== undefined) owners.push(owner)
      if (path === '') break
    }
  }
  return owners.sort(
    ({ error: left }, { error: right }) =>
      right.instancePath.length - left.instancePath.length ||
      right.schemaPath.length - left.schemaPath.length,
  )
}

/** An error of the only branch for this kind of value is more helpful than "matches none". */
function isDeeperFault(error: ErrorObject, union: ErrorObject): boolean {
  // A nullable union: its own message is sufficient.
  if (error.keyword === 'anyOf' && branchesOf(union).filter(({ type }) => type !== 'null').length === 1)
    return true
  const index = branchForKind(union)
  if (index === null) return false
  if (typeof union.data !== 'object' || union.data === null) {
    return error.schemaPath.startsWith(`${union.schemaPath}/${index}/`)
  }
  return (
    error.instancePath.length > union.instancePath.length ||
    error.keyword === 'required' ||
    error.keyword === 'additionalProperties'
  )
}

interface Branch {
  type?: unknown
  const?: unknown
}

const branchesOf = ({ schema }: ErrorObject): readonly Branch[] => (Array.isArray(schema) ? schema : [])

/** The branch of a union for this kind of value; null when no branch or several branches match the kind. */
function branchForKind(union: ErrorObject): number | null {
  const kind = kindOf(union.data)
  const isForKind = ({ type }: Branch) => type === kind || (type === 'integer' && kind === 'number')
  const branches = branchesOf(union)
  const found = branches.findIndex(isForKind)
  return found === -1 || branches.slice(found + 1).some(isForKind) ? null : found
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A missing key has the path that it would have; an unknown key is reported at its parent. */
function paramOf(error: ErrorObject): string {
  if (error.keyword !== 'required' && error.keyword !== 'dependencies') return error.instancePath
  const missing: unknown = error.params.missingProperty
  return `${error.instancePath}/${String(missing).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function messageOf(error: ErrorObject): string {
  const parent = error.parentSchema as { explain?: unknown; explainMissing?: unknown } | undefined
  if (typeof parent?.explainMissing === 'string' && error.keyword === 'required') return parent.explainMissing
  if (typeof parent?.explain === 'string' && error.keyword !== 'required')
    return parent.explain + guessOf(error.data, valuesOf(error))
  return error.keyword === 'anyOf' ? unionMessage(error) : schemaMessage(error)
}

/** The values of an enumeration. */
const valuesOf = ({ keyword, params }: ErrorObject): string[] =>
  keyword === 'enum' && Array.isArray(params.allowedValues) ? params.allowedValues.map(String) : []

/** The alternatives that a union accepts: its values, or their types when the value has none of these. */
function unionMessage(union: ErrorObject): string {
  const branches = branchesOf(union)
  const isValue = (branch: Branch) => branch.const !== undefined || branch.type === 'null'
  if (branches.every(isValue)) {
    return mustBeOneOf(
      branches.map((branch) => branch.const ?? null),
      union.data,
    )
  }
  const kinds = branches.map(({ type }) => type)
  const isOfNoKind = kinds.every((kind) => typeof kind === 'string') && !kinds.includes(kindOf(union.data))
  return isOfNoKind ? `must be ${typesInWords(kinds)}` : 'matches none of the allowed forms'
}

/** No API needs deeper bodies, and traversing them is costly. */
export const maxBodyDepth = 100

/** @throws GatewayError `invalid_body` */
export function checkDepth(body: unknown): void {
  if (isDeeperThan(body, maxBodyDepth))
    throw invalid(`The body is nested deeper than ${maxBodyDepth} levels.`)
}

/**
 * Checks that no object has the key `__proto__`, after `checkDepth`.
 * @throws GatewayError `invalid_body`
 */
export function checkKeys(body: unknown): void {
  if (hasPrototypeKey(body)) throw invalid('The body has the key "__proto__".')
}

const invalid = (message: string) => new GatewayError('invalid_body', message, { param: '/' })
