/** Looks for pieces in the texts of a body, puts placeholders in their place, and values in the place of placeholders. */
import type { TextPart, Turns } from '@gateway/contract'
import { chunkChars, findInChunks } from './chunks.ts'
import type { Detect, Finding } from './finding.ts'
import { type JsonText, readJsonText, replaceInJson, replaceInText } from './json-text.ts'
import { placeholdersIn, type Restorable, type Vault } from './vault.ts'

/** A text in which something was found. */
export interface Found {
  part: TextPart
  /** What the part says, when it is JSON: the offsets of the findings are in it. */
  json: JsonText | null
  findings: readonly Finding[]
}

/** Looks into each text apart; those in which nothing is found are left out. */
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
    // Behind the end of a chunk, one may reach into the next.
    const findings = found.filter(({ start }, index) => start >= (found[index - 1]?.end ?? 0))
    if (findings.length > 0) all.push({ part, json, findings })
  }
  return all
}

export interface Redaction {
  vault: Vault
  /** What stands in place of a category: a text, with a mark for the number where values are told apart. */
  templateOf(category: string): string
  /** Whether the values may be put back. */
  isKept: boolean
  /** All texts of the body: a placeholder that stands there already is not used. */
  parts: readonly TextPart[]
}

/** The texts by path, with placeholders. */
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

/** The texts by path in which placeholders stood, with the values. */
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
        : replaceInJson(part.text, json, findings, replace, bareValue),
    ]),
  )
}

/** As many places as are reported. */
const maxPlaces = 10

/** What was found and where: counts by category, and the first places. In a JSON text, offsets are in what it says. */
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
