/** Finds pieces in the texts of a body, and replaces them with placeholders or placeholders with values. */
import type { TextPart, Turns } from '@gateway/contract'
import { chunkChars, findInChunks } from './chunks.ts'
import type { Detect, Finding } from './finding.ts'
import { type JsonText, readJsonText, replaceInJson, replaceInText } from './json-text.ts'
import { placeholdersIn, type Restorable, type Vault } from './vault.ts'

/** A text with findings. */
export interface Found {
  part: TextPart
  /** The unescaped text, if the part is JSON: offsets of the findings refer to it. */
  json: JsonText | null
  findings: readonly Finding[]
}

/** Searches each text separately; those without findings are omitted. */
export function* findInParts(detect: Detect, parts: readonly TextPart[]): Turns<Found[]> {
  const all: Found[] = []
  let charsOfTurn = 0
  for (const part of parts) {
    charsOfTurn += part.text.length
    if (charsOfTurn > chunkChars) {
      yield
      charsOfTurn = part.text.length
    }
    const json = readJsonText(part)
    const found = yield* findInChunks(detect, json?.text ?? part.text)
    // A match that begins at the end of a chunk may reach into the next.
    const findings = found.filter(({ start }, index) => start >= (found[index - 1]?.end ?? 0))
    if (findings.length > 0) all.push({ part, json, findings })
  }
  return all
}

export interface Redaction {
  vault: Vault
  /** The template for a category: a text with a mark for the number that distinguishes values. */
  templateOf(category: string): string
  /** Whether the values may be put back. */
  isKept: boolean
  /** All texts of the body: placeholders that already occur in them are not used. */
  parts: readonly TextPart[]
}

/** The texts with placeholders, by path. */
export function redact(found: readonly Found[], redaction: Redaction): Map<string, string> {
  const { vault, templateOf, isKept, parts } = redaction
  const taken = new Map<string, ReadonlySet<string>>()
  const takenOf = (template: string) => {
    const known = taken.get(template) ?? new Set(parts.flatMap(({ text }) => placeholdersIn(template, text)))
    taken.set(template, known)
    return known
  }
  return rewrite(found, ({ category }, text, isNumber) => {
    const template = templateOf(category)
    const value = { text, isNumber, isKept }
    return vault.placeholderOf(template, value, (placeholder) => takenOf(template).has(placeholder))
  })
}

/** The texts that contained placeholders, with the values put back, by path. */
export function restore(parts: readonly TextPart[], restorable: Restorable): Map<string, string> {
  const textOf = (placeholder: string) => restorable.valueOf(placeholder)?.text ?? placeholder
  const found = parts.flatMap((part) => {
    const json = readJsonText(part)
    const findings = restorable.find(json?.text ?? part.text)
    return findings.length === 0 ? [] : [{ part, json, findings }]
  })
  return rewrite(
    found,
    ({ category }) => textOf(category),
    (content) => {
      const value = restorable.valueOf(content)
      return value?.isNumber === true ? value.text : undefined
    },
  )
}

function rewrite(
  found: readonly Found[],
  replace: (finding: Finding, value: string, isNumber: boolean) => string,
  bareValue?: (content: string) => string | undefined,
): Map<string, string> {
  return new Map(
    found.map(({ part, json, findings }) => [
      part.path,
      json === null
        ? replaceInText(part.text, findings, replace)
        : replaceInJson(part.text, json, { findings, replace, bareValue }),
    ]),
  )
}

/** The most places that are reported. */
const maxPlaces = 10

/**
 * A summary of the findings: counts by category, and the first places. In a JSON text, offsets refer to the unescaped
 * text.
 */
export function describe(found: readonly Found[]): { counts: Record<string, number>; places: Place[] } {
  const counts: Record<string, number> = {}
  const places: Place[] = []
  for (const { part, findings } of found)
    for (const { category, start, end } of findings) {
      counts[category] = (counts[category] ?? 0) + 1
      if (places.length < maxPlaces) places.push({ category, path: part.path, start, end })
    }
  return { counts, places }
}

interface Place extends Finding {
  path: string
}
