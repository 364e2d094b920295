/** `attributes` and `excludedAttributes`: https://www.rfc-editor.org/rfc/rfc7644#section-3.9 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'

/** The attributes that are returned; names in lower case, without a schema's prefix. */
export interface Projection {
  only: readonly string[] | null
  without: readonly string[]
}

/** Attributes that are always returned. */
const always: ReadonlySet<string> = new Set(['schemas', 'id'])
const maxNames = 100

const namesOf = (written: unknown): string[] => {
  const list = Array.isArray(written) ? written : typeof written === 'string' ? written.split(',') : []
  return list
    .slice(0, maxNames)
    .map((name) => String(name).trim().toLowerCase())
    .filter((name) => name !== '')
}

export function readProjection({
  attributes,
  excludedAttributes,
}: Readonly<Record<string, unknown>>): Projection {
  const only = namesOf(attributes)
  return { only: only.length === 0 ? null : only, without: namesOf(excludedAttributes) }
}

/** Whether an attribute is requested at all; otherwise it need not be read. */
export function wants({ only, without }: Projection, name: string): boolean {
  const lower = name.toLowerCase()
  if (without.some((one) => bare(one) === lower)) return false
  return only === null || only.some((one) => bare(one) === lower || bare(one).startsWith(`${lower}.`))
}

/** The name without the prefix of a core schema. */
const bare = (name: string) => name.replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/, '')

export function project(resource: JsonObject, { only, without }: Projection): JsonObject {
  const shown: JsonObject = {}
  for (const [name, value] of Object.entries(resource)) {
    const kept = always.has(name)
      ? value
      : projectMember(name.toLowerCase(), value ?? null, { only, without })
    if (kept !== null && kept !== undefined) shown[name] = kept
  }
  return shown
}

function projectMember(name: string, value: Json, { only, without }: Projection): Json {
  if (without.some((one) => bare(one) === name)) return null
  const below = (names: readonly string[]) =>
    names.flatMap((one) => {
      const plain = bare(one)
      const isBelow = plain.startsWith(`${name}.`) || plain.startsWith(`${name}:`)
      return isBelow ? [plain.slice(name.length + 1)] : []
    })
  const isWhole = only === null || only.some((one) => bare(one) === name)
  const wanted = isWhole ? null : below(only)
  if (wanted !== null && wanted.length === 0) return null
  return parts(value, wanted, below(without))
}

/** The parts of an object, or of each item of a list. */
function parts(value: Json, only: readonly string[] | null, without: readonly string[]): Json {
  if (only === null && without.length === 0) return value
  if (Array.isArray(value)) return value.map((item) => parts(item, only, without))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => {
      const lower = name.toLowerCase()
      return (only === null || only.includes(lower)) && !without.includes(lower)
    }),
  )
}
