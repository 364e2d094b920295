/** Finds numbers of known forms: groups of digits with single separators between them. */
import { type NumberId, numberIds } from './national-ids.ts'
import { hasContext, standsAlone, type Token } from './tokens.ts'

/** The most groups of a number, and the most digits of a group. */
const mostGroups = 7
const mostDigits = 19

export type MatchNumberId = (
  text: string,
  tokens: readonly Token[],
  index: number,
) => { category: string; start: number; end: number } | null

interface Form {
  id: NumberId
  /** Counts only after a word that names the number. */
  isNamed: boolean
}

/** A space, a hyphen or a dot; 0 for any other character. */
const separatorOf = (code: number): number => (code === 32 ? 1 : code === 45 ? 2 : code === 46 ? 3 : 0)

/** Encodes a form as a number: six bits per group, for the separator before it and its length. */
const addGroup = (key: number, separator: number, length: number): number =>
  key * 128 + separator * 32 + length

function keyOf(shape: string): number {
  let key = 0
  for (const [, separator = '', length = ''] of shape.matchAll(/([ .-]?)(\d+)/g))
    key = addGroup(key, separatorOf(separator.charCodeAt(0)), Number(length))
  return key
}

/** Finds the number of one of these kinds that begins at a token; the longest form has precedence. */
export function createNumberIds(wanted: ReadonlySet<string>): MatchNumberId {
  const forms = formsOf(numberIds.filter(({ category }) => wanted.has(category)))
  return (text, tokens, index) => {
    let key = 0
    let end = 0
    let found: ReturnType<MatchNumberId> = null
    for (let at = index; at < index + mostGroups; at++) {
      const token = tokens[at]
      if (token === undefined || !token.isNumber || token.end - token.start > mostDigits) break
      const separator = at === index ? 0 : separatorOf(text.charCodeAt(end))
      if (at > index && (separator === 0 || token.start !== end + 1)) break
      end = token.end
      key = addGroup(key, separator, token.end - token.start)
      const candidates = forms.get(key)
      if (candidates === undefined) continue
      const start = tokens[index]?.start ?? 0
      const category = verify(candidates, text, { start, end })
      if (category !== null) found = { category, start, end }
    }
    return found
  }
}

function verify(
  forms: readonly Form[],
  text: string,
  { start, end }: { start: number; end: number },
): string | null {
  if (!standsAlone(text, start, end)) return null
  const digits = text.slice(start, end).replaceAll(/[ .-]/g, '')
  for (const { id, isNamed } of forms)
    if (id.passes(digits) && (!isNamed || hasContext(text, start, { words: id.words ?? [] })))
      return id.category
  return null
}

/** Forms that require a word come first, because a word is stronger evidence. */
function formsOf(ids: readonly NumberId[]): Map<number, Form[]> {
  const forms = new Map<number, Form[]>()
  for (const isNamed of [true, false])
    for (const id of ids)
      for (const shape of (isNamed ? id.namedShapes : id.shapes) ?? []) {
        const key = keyOf(shape)
        forms.set(key, [...(forms.get(key) ?? []), { id, isNamed }])
      }
  return forms
}
