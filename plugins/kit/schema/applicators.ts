/** Keywords that combine subschemas for the same value: references, all, any, one and none of them, conditions. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { missing, namesIn } from './assertions.ts'
import type { Site } from './site.ts'
import type { Judging, Keyword, SchemaFault, Subschema } from './validation.ts'

export type CompileKeyword = (site: Site) => Keyword | null

/** A list of subschemas. */
export function subschemasIn({ value, refuse, subschema }: Site, compile = subschema): Subschema[] {
  if (!Array.isArray(value) || value.length === 0) return refuse('be a list of schemas')
  return value.map((item, index) => compile(item, [index]))
}

/** The members of a keyword with a value for each name. */
export function membersOf({ value, refuse }: Site): [string, Json][] {
  if (!isObject(value)) return refuse('be an object')
  return Object.entries(value as JsonObject).map(([name, member]) => [name, member ?? null])
}

function reference({ value, reference, refuse }: Site): Keyword {
  if (typeof value !== 'string') return refuse('be a string')
  const target = reference(value)
  return {
    *judge(candidate, run, evaluated) {
      return target.schema === null ? null : yield* run.inPlace(target.schema, candidate, evaluated)
    },
  }
}

function allOf(site: Site): Keyword {
  const parts = subschemasIn(site, site.inPlace)
  return {
    *judge(value, run, evaluated) {
      for (const part of parts) {
        const fault = yield* run.inPlace(part, value, evaluated)
        if (fault !== null) return fault
      }
      return null
    },
  }
}

function anyOf(site: Site): Keyword {
  const parts = subschemasIn(site, site.inPlace)
  const none = site.fault('must match a schema in anyOf')
  return {
    *judge(value, run, evaluated) {
      let fits = false
      for (const part of parts) {
        fits = (yield* run.inPlace(part, value, evaluated)) === null || fits
        // Each valid branch counts towards the evaluated members and items.
        if (fits && evaluated === null) break
      }
      return fits ? null : none
    },
  }
}

function oneOf(site: Site): Keyword {
  const parts = subschemasIn(site, site.inPlace)
  const other = site.fault('must match exactly one schema in oneOf')
  return {
    *judge(value, run, evaluated) {
      let count = 0
      for (const part of parts) {
        if ((yield* run.inPlace(part, value, evaluated)) === null) count += 1
        if (count > 1) break
      }
      return count === 1 ? null : other
    },
  }
}

function not(site: Site): Keyword {
  const part = site.inPlace(site.value, [])
  const fault = site.fault('must NOT be valid')
  return {
    *judge(value, run) {
      return (yield* run.inPlace(part, value, null)) === null ? fault : null
    },
  }
}

function condition(site: Site): Keyword {
  const { siblings, value } = site
  const when = site.inPlace(value, [])
  const branch = (name: 'then' | 'else') =>
    siblings[name] === undefined ? null : site.inPlace(siblings[name], [], name)
  const branches = { then: branch('then'), else: branch('else') }
  return {
    *judge(value, run, evaluated) {
      const isMet = (yield* run.inPlace(when, value, evaluated)) === null
      const next = isMet ? branches.then : branches.else
      return next === null ? null : yield* run.inPlace(next, value, evaluated)
    },
  }
}

/** By the name of a member: names that must also be present, or a schema for the whole object. */
type Dependency = { name: string; judge: Keyword['judge'] }

function dependencies(site: Site): Keyword {
  const compiled = membersOf(site).map(([name, value]): Dependency => {
    const isList = Array.isArray(value)
    if (site.keyword === 'dependentRequired' && !isList) return site.refuse('have lists of names')
    if (site.keyword === 'dependentSchemas' && isList) return site.refuse('have schemas')
    if (!isList) {
      const schema = site.inPlace(value, [name])
      return { name, judge: (whole, run, evaluated) => run.inPlace(schema, whole, evaluated) }
    }
    return { name, judge: requireAll(namesIn(value, site.refuse), site) }
  })
  return {
    *judge(value, run, evaluated) {
      if (!isObject(value)) return null
      if (run.spend(compiled.length >> 3)) yield
      for (const { name, judge } of compiled) {
        if (!Object.hasOwn(value, name)) continue
        const fault = yield* judge(value, run, evaluated)
        if (fault !== null) return fault
      }
      return null
    },
  }
}

const requireAll = (names: readonly string[], { fault }: Site): Keyword['judge'] =>
  function* (value, run): Judging<SchemaFault | null> {
    if (run.spend(names.length)) yield
    const name = names.find((one) => !Object.hasOwn(Object(value), one))
    return name === undefined ? null : missing(fault, name)
  }

export const applicators: Readonly<Record<string, CompileKeyword>> = {
  $ref: reference,
  $dynamicRef: reference,
  $recursiveRef: reference,
  allOf,
  anyOf,
  oneOf,
  not,
  if: condition,
  dependencies,
  dependentRequired: dependencies,
  dependentSchemas: dependencies,
}
