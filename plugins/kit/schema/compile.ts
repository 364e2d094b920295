/**
 * Compiles the schema tree: one `Subschema` for each schema in it, references last. The number of subschemas, of
 * references, the depth, and the size of all subschemas and patterns together are bounded.
 */
import {
  compilePattern,
  compileTogether,
  countSize,
  isObject,
  type Json,
  type JsonObject,
  TooLargeError,
} from '@gateway/contract'
import { assertions } from './assertions.ts'
import { isKeyword, isSilent, keywordCompilers } from './keywords.ts'
import type { Draft, Site } from './site.ts'
import { SchemaTooComplexError } from './too-complex.ts'
import { escapeName, type Subschema } from './validation.ts'

const maxDepth = 64
const maxSubschemas = 5000
const maxReferences = 2000
/** Subschemas in a row that validate the same value. */
const maxInPlace = 200

/** The cost of compiling a subschema, in the unit of a pattern's size. */
const sizeOfSubschema = 3

const assertionCompilers = Object.entries(assertions)

/** A schema with an `$id`, or the root: references begin here. */
interface Resource {
  root: JsonObject
  anchors: Map<string, JsonObject>
}

interface Reference {
  target: string
  resource: Resource
  from: Subschema
  into: { schema: Subschema | null }
}

interface Place {
  path: string
  depth: number
  resource: Resource
}

export interface CompiledSchema {
  root: Subschema
  /** Whether a keyword depends on the members and items that others have evaluated. */
  tracks: boolean
}

/** @throws Error, and `SchemaTooComplexError` */
export function compileTree(schema: JsonObject, draft: Draft): CompiledSchema {
  return compileTogether(() => {
    const compiler = new Compiler(draft)
    const resource: Resource = { root: schema, anchors: new Map() }
    const root = compiler.compile(schema, { path: '#', depth: 0, resource })
    compiler.resolve()
    refuseCircles(compiler.all)
    return { root, tracks: compiler.tracks }
  })
}

class Compiler {
  readonly all: Subschema[] = []
  tracks = false
  readonly #draft: Draft
  readonly #bySchema = new Map<JsonObject, Subschema>()
  readonly #references: Reference[] = []
  #hasResources = false
  #isDynamic = false

  constructor(draft: Draft) {
    this.#draft = draft
  }

  compile(schema: Json, place: Place): Subschema {
    if (place.depth > maxDepth)
      throw new SchemaTooComplexError(`the schema is nested deeper than ${maxDepth}`)
    if (this.all.length >= maxSubschemas)
      throw new SchemaTooComplexError(`the schema has more than ${maxSubschemas} subschemas`)
    bounded('the schema', () => countSize(sizeOfSubschema))
    const { path } = place
    const compiled: Subschema = { path, assertions: [], keywords: [], inPlace: [], isShared: false }
    this.all.push(compiled)
    if (schema === false) {
      const fault = {
        keyword: 'false schema',
        schemaPath: `${path}/false schema`,
        path: '',
        message: 'boolean schema is false',
      }
      compiled.assertions.push(() => fault)
      return compiled
    }
    if (schema === true) return compiled
    if (!isObject(schema)) throw invalid(path, 'must be a schema')
    this.#fill(compiled, schema as JsonObject, place)
    return compiled
  }

  #fill(compiled: Subschema, schema: JsonObject, place: Place): void {
    const { path, depth } = place
    this.#bySchema.set(schema, compiled)
    const resource = this.#enter(schema, place)
    for (const keyword of Object.keys(schema)) this.#checkName(keyword, path)
    for (const keyword of ['$defs', 'definitions'])
      this.#compileNamed(schema, keyword, { path, depth, resource })
    const siteOf = (keyword: string, value: Json) =>
      this.#siteOf(compiled, { keyword, value, siblings: schema }, { path, depth, resource })
    for (const [keyword, compile] of assertionCompilers) {
      const value = schema[keyword]
      const assertion = value === undefined ? null : compile(siteOf(keyword, value))
      if (assertion !== null) compiled.assertions.push(assertion)
    }
    for (const [keyword, compile] of keywordCompilers) {
      const value = schema[keyword]
      const made = value === undefined ? null : compile(siteOf(keyword, value))
      if (made !== null) compiled.keywords.push(made)
      if (value !== undefined && keyword.startsWith('unevaluated')) this.tracks = true
    }
  }

  /** Checks a keyword's name. */
  #checkName(keyword: string, path: string): void {
    if (keyword === '$async' || keyword === '__proto__')
      throw new Error(`the schema has the keyword ${keyword}, which is not of JSON Schema`)
    const isKnown = Object.hasOwn(assertions, keyword) || keywordCompilers.has(keyword) || isSilent(keyword)
    if (!isKnown || !isKeyword(keyword, this.#draft))
      throw new Error(`the schema is not valid: unknown keyword "${keyword}" at ${path}`)
  }

  #compileNamed(schema: JsonObject, keyword: string, { path, depth, resource }: Place): void {
    const named = schema[keyword]
    if (named === undefined) return
    if (!isObject(named)) throw invalid(`${path}/${keyword}`, 'must be an object')
    for (const [name, value] of Object.entries(named as JsonObject))
      this.compile(value ?? null, {
        path: `${path}/${keyword}/${escapeName(name)}`,
        depth: depth + 1,
        resource,
      })
  }

  /** Records the names by which references find a schema. */
  #enter(schema: JsonObject, { path, resource }: Place): Resource {
    const { $id } = schema
    if ($id !== undefined && typeof $id !== 'string') throw invalid(`${path}/$id`, 'must be a string')
    const isResource = $id !== undefined && !$id.startsWith('#') && path !== '#'
    this.#hasResources ||= isResource
    const entered = isResource ? { root: schema, anchors: new Map<string, JsonObject>() } : resource
    const names = [
      schema.$anchor,
      schema.$dynamicAnchor,
      $id?.startsWith('#') === true ? $id.slice(1) : undefined,
    ]
    for (const name of names) {
      if (name === undefined) continue
      if (typeof name !== 'string') throw invalid(path, 'must have a string as anchor')
      if (entered.anchors.has(name)) throw invalid(path, `repeats the anchor "${name}"`)
      entered.anchors.set(name, schema)
    }
    return entered
  }

  #siteOf(
    compiled: Subschema,
    { keyword, value, siblings }: Pick<Site, 'keyword' | 'value' | 'siblings'>,
    { path, depth, resource }: Place,
  ): Site {
    const schemaPath = `${path}/${keyword}`
    const subschema: Site['subschema'] = (inner, names, under = keyword) =>
      this.compile(inner, {
        path: [path, under, ...names.map(escapeName)].join('/'),
        depth: depth + 1,
        resource,
      })
    return {
      keyword,
      value,
      siblings,
      draft: this.#draft,
      subschema,
      inPlace: (inner, names, under) => {
        const made = subschema(inner, names, under)
        compiled.inPlace.push(made)
        return made
      },
      reference: (target) =>
        this.#refer({ target, resource, from: compiled, into: { schema: null } }, keyword),
      // Without the group, /…/ would be read as a pattern with flags.
      pattern: (source) => bounded('a pattern of the schema', () => compilePattern(`(?:${source})`)),
      fault: (message, at = '') => ({ keyword, schemaPath, path: at, message }),
      refuse: (requirement) => {
        throw invalid(schemaPath, `must ${requirement}`)
      },
    }
  }

  #refer(reference: Reference, keyword: string): Reference['into'] {
    if (!reference.target.startsWith('#'))
      throw new Error(`the schema refers outside of itself: ${keyword} must begin with #`)
    if (this.#references.length >= maxReferences)
      throw new SchemaTooComplexError(`the schema has more than ${maxReferences} references`)
    this.#references.push(reference)
    this.#isDynamic ||= keyword !== '$ref'
    return reference.into
  }

  /** Points every reference to its subschema. */
  resolve(): void {
    if (this.#hasResources && this.#isDynamic)
      throw new Error(
        'the schema is not valid: $dynamicRef and $recursiveRef cannot be used together with an embedded $id',
      )
    for (const { target, resource, from, into } of this.#references) {
      const found = this.#find(target, resource)
      into.schema = found
      found.isShared = true
      from.inPlace.push(found)
    }
  }

  #find(target: string, { root, anchors }: Resource): Subschema {
    const fragment = decodeFragment(target)
    const schema =
      fragment === '' || fragment.startsWith('/') ? follow(root, fragment) : anchors.get(fragment)
    if (typeof schema === 'boolean')
      return this.compile(schema, { path: target, depth: 0, resource: { root, anchors } })
    const found = isObject(schema) ? this.#bySchema.get(schema as JsonObject) : undefined
    if (found === undefined)
      throw new Error(`can't resolve reference ${target}: the schema has no such subschema`)
    return found
  }
}

function bounded<Made>(what: string, make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    if (error instanceof TooLargeError) throw new SchemaTooComplexError(`${what}: ${error.message}`)
    throw error
  }
}

function decodeFragment(target: string): string {
  try {
    return decodeURIComponent(target.slice(1))
  } catch (error) {
    throw new Error(`can't resolve reference ${target}: it is not percent-encoded`, { cause: error })
  }
}

/** The value at a JSON pointer. */
function follow(root: JsonObject, pointer: string): Json | undefined {
  let value: Json | undefined = root
  for (const written of pointer.split('/').slice(1)) {
    const name = written.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as JsonObject)[name]
  }
  return value
}

/** A value of a schema that refers to itself in place could never be validated. */
function refuseCircles(all: readonly Subschema[]): void {
  const heights = new Map<Subschema, number>()
  const open = new Set<Subschema>()
  const heightOf = (schema: Subschema): number => {
    const known = heights.get(schema)
    if (known !== undefined) return known
    if (open.has(schema)) throw new Error(`the schema refers to itself in a circle at ${schema.path}`)
    if (open.size > maxInPlace) throw tooManyInPlace()
    open.add(schema)
    const height = 1 + Math.max(0, ...schema.inPlace.map(heightOf))
    if (height > maxInPlace) throw tooManyInPlace()
    open.delete(schema)
    heights.set(schema, height)
    return height
  }
  for (const schema of all) heightOf(schema)
}

const tooManyInPlace = () =>
  new SchemaTooComplexError(`more than ${maxInPlace} subschemas of the schema apply in a row to one value`)

const invalid = (path: string, message: string) => new Error(`the schema is not valid: ${path} ${message}`)
