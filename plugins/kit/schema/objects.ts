/** Keywords for the members of objects, and `pattern`. */
import { isObject, type Pattern } from '@gateway/contract'
import { type CompileKeyword, membersOf } from './applicators.ts'
import type { Site } from './site.ts'
import { inTurns, type Judging, type Keyword, type SchemaFault, type Subschema } from './validation.ts'

const read = (value: object, name: string): unknown => (value as Record<string, unknown>)[name]

function pattern(site: Site): Keyword {
  const { value: source, refuse } = site
  if (typeof source !== 'string') return refuse('be a pattern')
  const compiled = site.pattern(source)
  const fault = site.fault(`must match pattern "${source}"`)
  return {
    *judge(value, run) {
      if (typeof value !== 'string') return null
      if (run.spend(value.length >> 6)) yield
      return (yield* inTurns(compiled.inTurns.test(value))) ? null : fault
    },
  }
}

function properties(site: Site): Keyword {
  const schemas = membersOf(site).map(([name, value]) => ({ name, schema: site.subschema(value, [name]) }))
  return {
    *judge(value, run, evaluated) {
      if (!isObject(value)) return null
      for (const { name, schema } of schemas) {
        if (!Object.hasOwn(value, name)) continue
        const fault = yield* run.below(schema, read(value, name), name)
        if (fault !== null) return fault
        evaluated?.members.add(name)
      }
      if (run.spend(schemas.length >> 3)) yield
      return null
    },
  }
}

function patternProperties(site: Site): Keyword {
  const schemas = membersOf(site).map(([source, value]) => ({
    pattern: site.pattern(source),
    schema: site.subschema(value, [source]),
  }))
  return {
    *judge(value, run, evaluated) {
      if (!isObject(value)) return null
      for (const { pattern, schema } of schemas)
        for (const name of Object.keys(value)) {
          if (run.spend(1 + (name.length >> 6))) yield
          if (!(yield* inTurns(pattern.inTurns.test(name)))) continue
          const fault = yield* run.below(schema, read(value, name), name)
          if (fault !== null) return fault
          evaluated?.members.add(name)
        }
      return null
    },
  }
}

/** Validates the members for which `isDone` is false. */
function others(
  site: Site,
  message: string,
  isDone: (name: string, done: ReadonlySet<string>) => Judging<boolean>,
): Keyword {
  const schema = site.subschema(site.value, [])
  return {
    *judge(value, run, evaluated) {
      if (!isObject(value)) return null
      for (const name of Object.keys(value)) {
        if (run.spend(1 + (name.length >> 6))) yield
        if (yield* isDone(name, evaluated?.members ?? none)) continue
        const fault = yield* run.below(schema, read(value, name), name)
        if (fault !== null) return site.value === false ? site.fault(message) : fault
        evaluated?.members.add(name)
      }
      return null
    },
  }
}

const none: ReadonlySet<string> = new Set()

function additionalProperties(site: Site): Keyword {
  const { properties: named, patternProperties: byPattern } = site.siblings
  const known = isObject(named) ? named : {}
  const patterns: Pattern[] = isObject(byPattern) ? Object.keys(byPattern).map(site.pattern) : []
  return others(site, 'must NOT have additional properties', function* (name) {
    if (Object.hasOwn(known, name)) return true
    for (const pattern of patterns) if (yield* inTurns(pattern.inTurns.test(name))) return true
    return false
  })
}

const unevaluatedProperties: CompileKeyword = (site) =>
  others(site, 'must NOT have unevaluated properties', (name, done) => finished(done.has(name)))

// biome-ignore lint/correctness/useYield: a result that needs no turn.
function* finished(result: boolean): Judging<boolean> {
  return result
}

function propertyNames(site: Site): Keyword {
  const schema: Subschema = site.subschema(site.value, [])
  const fault: SchemaFault = site.fault('property name must be valid')
  return {
    *judge(value, run) {
      if (!isObject(value)) return null
      for (const name of Object.keys(value))
        if ((yield* run.evaluate(schema, name)).fault !== null) return fault
      return null
    },
  }
}

export const objectKeywords: Readonly<Record<string, CompileKeyword>> = {
  pattern,
  propertyNames,
  properties,
  patternProperties,
  additionalProperties,
}

/** These follow all others, whose results they need. */
export const unevaluatedMembers: Readonly<Record<string, CompileKeyword>> = { unevaluatedProperties }
