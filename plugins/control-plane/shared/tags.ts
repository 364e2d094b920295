/**
 * Tags of credentials: an object with string values, or a list of strings. `?tags=` finds them by the same value as
 * JSON.
 */

import { type DocumentFilter, isObject } from '@gateway/contract'
import type { Tags } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { invalidQuery } from '../engine/index.ts'

const text = Type.String({ minLength: 1, maxLength: 255 })

export const tagsSchema = Type.Union(
  [
    Type.Record(text, Type.String({ maxLength: 255 }), { maxProperties: 50 }),
    Type.Array(text, { maxItems: 50 }),
  ],
  { explain: 'must be an object with string values, or a list of strings' },
)

/** The attributes by which tags are found: one for each tag key, so that all given tags must match. */
export function tagAttributes(tags: Tags | undefined): Record<string, readonly string[]> {
  if (Array.isArray(tags)) return Object.fromEntries(tags.map((tag) => [`tag ${tag}`, ['']]))
  if (!isObject(tags)) return {}
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [`tag ${name}`, [String(value)]]))
}

/** The filter `?tags={"env": "prod"}`: all tags must match. */
export const tagsFilter = {
  schema: Type.String({ description: 'JSON: an object of tags, or a list; all must match.' }),
  apply(written: string, filter: DocumentFilter): void {
    filter.attributes = { ...filter.attributes, ...tagAttributes(readTags(written)) }
  },
}

function readTags(written: string): Tags {
  try {
    const tags: unknown = JSON.parse(written)
    const values = Array.isArray(tags) ? tags : isObject(tags) ? Object.values(tags) : [null]
    if (values.every((value) => typeof value === 'string')) return tags as Tags
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw invalidQuery('tags', 'must be JSON: an object with string values, or a list of strings')
}
