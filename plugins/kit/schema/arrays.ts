/** Keywords for the items of arrays. */
import type { Json } from '@gateway/contract'
import { type CompileKeyword, subschemasIn } from './applicators.ts'
import { canonicalText } from './equal.ts'
import type { Site } from './site.ts'
import type { Keyword, Subschema } from './validation.ts'

function tuple(site: Site): Keyword {
  const schemas = subschemasIn(site)
  return {
    *judge(value, run, evaluated) {
      if (!Array.isArray(value)) return null
      for (const [index, schema] of schemas.entries()) {
        if (index >= value.length) break
        const fault = yield* run.below(schema, value[index], index)
        if (fault !== null) return fault
        evaluated?.items.add(index)
      }
      return null
    },
  }
}

/** Validates the items from an index on. */
function rest(site: Site, first: number, message: string): Keyword {
  const schema = site.subschema(site.value, [])
  return {
    *judge(value, run, evaluated) {
      if (!Array.isArray(value)) return null
      for (let index = first; index < value.length; index += 1) {
        const fault = yield* run.below(schema, value[index], index)
        if (fault !== null) return site.value === false ? site.fault(message) : fault
        evaluated?.items.add(index)
      }
      return null
    },
  }
}

const lengthOf = (value: Json | undefined): number => (Array.isArray(value) ? value.length : 0)
const tooMany = (first: number) => `must NOT have more than ${first} items`

function items(site: Site): Keyword {
  if (Array.isArray(site.value))
    return site.draft === 2020
      ? site.refuse('be a schema: draft 2020-12 has prefixItems for lists')
      : tuple(site)
  const first = lengthOf(site.siblings.prefixItems)
  return rest(site, first, tooMany(first))
}

/** Has an effect only together with a list of `items`. */
function additionalItems(site: Site): Keyword | null {
  const { items: list } = site.siblings
  if (Array.isArray(list)) return rest(site, list.length, tooMany(list.length))
  site.subschema(site.value, [])
  return null
}

function unevaluatedItems(site: Site): Keyword {
  const schema = site.subschema(site.value, [])
  return {
    *judge(value, run, evaluated) {
      if (!Array.isArray(value)) return null
      for (let index = 0; index < value.length; index += 1) {
        if (run.spend(1)) yield
        if (evaluated?.items.has(index) === true) continue
        const fault = yield* run.below(schema, value[index], index)
        if (fault !== null)
          return site.value === false ? site.fault('must NOT have unevaluated items') : fault
        evaluated?.items.add(index)
      }
      return null
    },
  }
}

const countIn = (value: Json | undefined, absent: number, refuse: Site['refuse']): number => {
  if (value === undefined) return absent
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
    ? value
    : refuse('have integers from 0 as minContains and maxContains')
}

function contains(site: Site): Keyword {
  const { siblings, draft, refuse } = site
  const schema: Subschema = site.subschema(site.value, [])
  const least = countIn(siblings.minContains, 1, refuse)
  const most = countIn(siblings.maxContains, Number.POSITIVE_INFINITY, refuse)
  const amount = Number.isFinite(most) ? `at least ${least} and no more than ${most}` : `at least ${least}`
  const fault = site.fault(`must contain ${amount} valid item(s)`)
  return {
    *judge(value, run, evaluated) {
      if (!Array.isArray(value)) return null
      let count = 0
      for (const [index, item] of value.entries()) {
        if ((yield* run.evaluate(schema, item)).fault !== null) continue
        count += 1
        if (draft === 2020) evaluated?.items.add(index)
      }
      return count >= least && count <= most ? null : fault
    },
  }
}

/** Compares items by their text: the time grows with the array's length, not with its square. */
function uniqueItems({ value: wanted, fault, refuse }: Site): Keyword | null {
  if (typeof wanted !== 'boolean') return refuse('be true or false')
  if (!wanted) return null
  const duplicate = fault('must NOT have duplicate items')
  return {
    *judge(value, run) {
      if (!Array.isArray(value)) return null
      const seen = new Set<string>()
      for (const item of value) {
        const text = yield* canonicalText(item, run)
        if (seen.has(text)) return duplicate
        seen.add(text)
      }
      return null
    },
  }
}

export const arrayKeywords: Readonly<Record<string, CompileKeyword>> = {
  prefixItems: tuple,
  items,
  additionalItems,
  contains,
  uniqueItems,
}

/** These follow all others, whose results they need. */
export const unevaluatedRest: Readonly<Record<string, CompileKeyword>> = { unevaluatedItems }
