/** Slugs: validates given ones and generates missing ones from the name. */
import { randomBytes } from 'node:crypto'
import { slugPattern } from '@gateway/domain'
import { Type } from '@sinclair/typebox'

export const slugSchema = Type.String({
  pattern: slugPattern,
  explain: 'must be 1 to 255 letters, digits, _ and -',
})

const reserved: ReadonlySet<string> = new Set([
  ...['latest', 'published', 'v1', 'oauth', 'scim', 'admin', 'console', 'docs', 'mcp', 'agent'],
  'default',
])

/** The reason why a slug is not allowed, or null. */
export const slugFault = (slug: string): string | null =>
  reserved.has(slug.toLowerCase()) ? `"${slug}" is reserved` : null

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text is an id rather than a slug. Ids are lowercase. */
export const isId = (text: string): boolean => uuid.test(text)

const maxMadeChars = 40
const suffix = () => randomBytes(3).toString('hex')

/** Slugs to try for a name, in order. With a prefix each has six hex digits; without one only the later ones have. */
export function* slugsFor(name: string, prefix: string, minChars = 1): Generator<string> {
  const base = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, maxMadeChars)
    .replace(/-+$/, '')
  const stem = `${prefix}${base}`.replace(/-+$/, '') || 'unnamed'
  if (prefix === '' && stem.length >= minChars && slugFault(stem) === null && !isId(stem)) yield stem
  for (let attempt = 0; attempt < 5; attempt++) yield `${stem}-${suffix()}`
}
