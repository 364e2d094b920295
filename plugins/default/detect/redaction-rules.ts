/** The rules of `default.redact`: their schema, how each finds matches, and their replacements. */
import type { Pattern, TextPart, Turns } from '@gateway/contract'
import { type Static, Type } from '@sinclair/typebox'
import { compileRule, rule as pattern } from '../shared/rule.ts'
import { findInChunks } from './chunks.ts'
import { addFree, type Detect, type Finding } from './finding.ts'
import { readJsonText } from './json-text.ts'
import { expandPii, nationalId, piiCategories } from './pii/categories.ts'
import { createPiiDetector } from './pii/find-pii.ts'
import type { Found } from './redaction.ts'
import { secretCategories } from './secrets/categories.ts'
import { createSecretDetector } from './secrets/find-secrets.ts'
import { numberMark, templateOf } from './vault.ts'

const piiIds: readonly string[] = [...piiCategories.map(({ id }) => id), nationalId]
const secretIds: readonly string[] = secretCategories.map(({ id }) => id)

const replacement = Type.Optional(
  Type.String({
    minLength: 1,
    description:
      `The replacement: a text in which ${numberMark} is a number that distinguishes values. Absent: ` +
      '[EMAIL_1] and the like for a category, [REDACTED_1] for a pattern or words.',
  }),
)

const category = Type.Unsafe<string>({
  type: 'string',
  enum: [...piiIds, ...secretIds],
  description: 'A category of default.pii or default.secrets.',
})

const words = Type.Array(Type.String({ minLength: 1 }), {
  minItems: 1,
  maxItems: 1000,
  description: 'Words or phrases, also inside longer words.',
})

const caseSensitive = Type.Optional(
  Type.Boolean({ description: 'Whether words are case-sensitive. Default: false.' }),
)

/** The `rules` parameter. */
export const rules = Type.Array(
  Type.Union([
    Type.Object({ pattern, replacement }, { additionalProperties: false }),
    Type.Object({ category, replacement }, { additionalProperties: false }),
    Type.Object({ words, caseSensitive, replacement }, { additionalProperties: false }),
  ]),
  {
    default: [],
    maxItems: 100,
    description:
      'What is replaced: matches of a pattern, of a category or of words. If two rules match the same text, the first is used. ' +
      'Rules are reported by their number, from 0.',
  },
)

type Rule = Static<typeof rules>[number]

/** A rule that is ready to search. */
export interface Finder {
  find(text: string): Turns<readonly Finding[]>
  /** The template of the replacement. */
  template: string
}

/**
 * Prepares a rule.
 * @param isRestored whether the values may be put back; placeholders must then distinguish them
 * @throws Error for an invalid pattern, and for a replacement that cannot be recognised in a text
 */
export function prepareRule(rule: Rule, isRestored: boolean): Finder {
  const template = rule.replacement ?? templateOf('category' in rule ? rule.category : 'redacted')
  checkTemplate(template, isRestored)
  if ('category' in rule) {
    const detect = detectorOf(rule.category)
    return { find: (text) => findInChunks(detect, text), template }
  }
  const written = 'pattern' in rule ? rule.pattern : wordsPattern(rule.words, rule.caseSensitive === true)
  const matcher = compileRule(written)
  return { find: (text) => findMatches(matcher, text), template }
}

/** A placeholder must be distinguishable from the text around it and from those of other values. */
function checkTemplate(template: string, isRestored: boolean): void {
  const [head = '', tail, ...more] = template.split(numberMark)
  if (more.length > 0) throw new Error(`the replacement "${template}" has ${numberMark} more than once`)
  if (!isRestored || (head.length > 1 && tail !== undefined && /^\D/.test(tail))) return
  throw new Error(
    `the replacement "${template}" cannot be restored: it must contain ${numberMark} after at least two characters and ` +
      'before a character that is not a digit',
  )
}

const detectorOf = (category: string): Detect =>
  piiIds.includes(category)
    ? createPiiDetector(expandPii([category]))
    : createSecretDetector(new Set([category]))

/** Long words come first: otherwise a word could hide a longer word that begins with it. */
function wordsPattern(words: readonly string[], isCaseSensitive: boolean): string {
  const sorted = words.toSorted((left, right) => right.length - left.length)
  const alternatives = sorted.map((word) => word.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&'))
  return `/(?:${alternatives.join('|')})/s${isCaseSensitive ? '' : 'i'}`
}

/** Ignores empty matches. */
function* findMatches(matcher: Pattern, text: string): Turns<Finding[]> {
  const spans = yield* matcher.inTurns.find(text, Number.POSITIVE_INFINITY)
  return spans.filter(({ start, end }) => start < end).map((span) => ({ category: '', ...span }))
}

/** The matches of the rules in each text. The category of a finding is the number of its rule. */
export function* findByRules(finders: readonly Finder[], parts: readonly TextPart[]): Turns<Found[]> {
  const all: Found[] = []
  for (const part of parts) {
    const json = readJsonText(part)
    let findings: Finding[] = []
    for (const [number, { find }] of finders.entries()) {
      const found = yield* find(json?.text ?? part.text)
      const named = found.map((finding) => ({ ...finding, category: String(number) }))
      findings = addFree(findings, named)
    }
    if (findings.length > 0) all.push({ part, json, findings })
  }
  return all
}
