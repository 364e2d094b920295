/**
 * Every string of a body whose format is its provider's business: what a proxied route carries. Which of them are text
 * cannot be known, and what a check denies must not slip through a name that nobody foresaw.
 */
import type { Json, JsonObject, TextPart } from '@gateway/contract'

/** Gathers the strings of a body, however deep they stand, in their order. */
export function readEveryText(body: JsonObject, role: string, parts: TextPart[]): void {
  // By hand, for an answer may be nested deeper than calls can be.
  const rest: { path: string; value: Json | undefined }[] = [{ path: '', value: body }]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { path, value } = next
    if (typeof value === 'string') parts.push({ role, text: value, path })
    if (typeof value !== 'object' || value === null) continue
    const members = Object.entries(value).map(([key, member]) => ({
      path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      value: member,
    }))
    rest.push(...members.reverse())
  }
}
