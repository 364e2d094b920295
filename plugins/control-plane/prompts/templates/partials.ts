/**
 * The partials that templates include, directly and indirectly. A reference is a slug, `slug@N` or `slug@latest`;
 * without a version it means the published one. Errors: {@link PartialError} for one that is missing, for a cycle, and
 * for more than 10 levels.
 */
import { partialsIn, type Template } from '@gateway/domain'
import { deepestPartials } from './render.ts'

/** A version of a partial. */
export interface FoundPartial {
  /** Identifies the version. */
  key: string
  template: Template
}

/** Null for an unknown partial or version. */
export type FindPartial = (reference: string) => Promise<FoundPartial | null>

export class PartialError extends Error {
  override readonly name = 'PartialError'
  /** The reference in the templates that leads to it. */
  root = ''
}

interface LoadedPartials {
  /** By reference. */
  templates: ReadonlyMap<string, Template>
  /** The number of levels below the templates; 0 if they include nothing. */
  height: number
}

/** The maximum number of partials in total. */
const mostPartials = 1000

/** @param above levels already above these templates */
export async function loadPartials(
  roots: readonly Template[],
  find: FindPartial,
  above = 0,
): Promise<LoadedPartials> {
  const templates = new Map<string, Template>()
  const heights = new Map<string, number>()
  const found = new Map<string, FoundPartial>()
  const open = new Set<string>()

  async function heightOf(reference: string): Promise<number> {
    const partial = found.get(reference) ?? (await find(reference))
    if (partial === null) throw new PartialError(`Partial "${reference}" does not exist`)
    if (found.size > mostPartials) throw new PartialError(`More than ${mostPartials} partials are included`)
    found.set(reference, partial)
    templates.set(reference, partial.template)
    const known = heights.get(partial.key)
    if (known !== undefined) return known
    if (open.has(partial.key)) throw new PartialError(`Partial "${reference}" includes itself`)
    open.add(partial.key)
    if (open.size + above > deepestPartials) throw tooDeep()
    const height = 1 + (await highest([partial.template]))
    open.delete(partial.key)
    heights.set(partial.key, height)
    return height
  }

  async function highest(of: readonly Template[]): Promise<number> {
    let height = 0
    for (const reference of partialsIn(of)) height = Math.max(height, await heightOf(reference))
    return height
  }

  let height = 0
  for (const reference of partialsIn(roots)) {
    try {
      height = Math.max(height, await heightOf(reference))
      if (height + above > deepestPartials) throw tooDeep()
    } catch (error) {
      if (error instanceof PartialError) error.root = reference
      throw error
    }
  }
  return { templates, height }
}

const tooDeep = () => new PartialError(`Partials are nested more than ${deepestPartials} deep`)

const isNumber = /^[1-9]\d{0,8}$/

/** The version number; null if the text is not a number. */
export const versionNumber = (written: string): number | null =>
  isNumber.test(written) ? Number(written) : null
