/** `default.redact`: replaces what rules find by placeholders, and can put it back into the answer. */
import {
  type Check,
  type Pattern,
  type Phase,
  runInTurns,
  type TextPart,
  type Turns,
} from '@gateway/core/contract'
import { type Static, Type } from '@sinclair/typebox'
import { findInChunks } from './detect/chunks.ts'
import { restored, restoredToo } from './detect/detection-check.ts'
import { addFree, type Detect, type Finding } from './detect/finding.ts'
import { readJsonText } from './detect/json-text.ts'
import { expandPii, nationalId, piiCategories } from './detect/pii/categories.ts'
import { createPiiDetector } from './detect/pii/find-pii.ts'
import { describe, type Found, redact as redactFound } from './detect/redaction.ts'
import { secretCategories } from './detect/secrets/categories.ts'
import { createSecretDetector } from './detect/secrets/find-secrets.ts'
import { numberMark, templateOf, vaultOf } from './detect/vault.ts'
import { toolDefinition } from './shared/parts.ts'
import { compileRule, rule as pattern } from './shared/rule.ts'

const piiIds: readonly string[] = [...piiCategories.map(({ id }) => id), nationalId]
const secretIds: readonly string[] = secretCategories.map(({ id }) => id)
const roles = ['user', 'system', 'developer', 'assistant', 'tool', 'function', toolDefinition, 'all'] as const

const replacement = Type.Optional(
  Type.String({
    minLength: 1,
    description:
      `What stands in place: a text, in which ${numberMark} is a number by which values are told apart. Absent: ` +
      '[EMAIL_1] and the like for a category, [REDACTED_1] for a pattern or words.',
  }),
)

const words = Type.Array(Type.String({ minLength: 1 }), {
  minItems: 1,
  maxItems: 1000,
  description: 'Words or phrases, wherever they occur, inside of longer words too.',
})

const rules = Type.Array(
  Type.Union([
    Type.Object({ pattern, replacement }, { additionalProperties: false }),
    Type.Object(
      {
        category: Type.Unsafe<string>({
          type: 'string',
          enum: [...piiIds, ...secretIds],
          description: 'A category of default.pii or default.secrets.',
        }),
        replacement,
      },
      { additionalProperties: false },
    ),
    Type.Object(
      {
        words,
        caseSensitive: Type.Optional(
          Type.Boolean({
            description: 'Whether upper and lower case are different letters; not when absent.',
          }),
        ),
        replacement,
      },
      { additionalProperties: false },
    ),
  ]),
  {
    default: [],
    maxItems: 100,
    description:
      'What is replaced: by a pattern, by a category or by words. Where two rules find the same, the first counts.',
  },
)

const parameters = Type.Object(
  {
    rules: Type.Optional(rules),
    applyToRole: Type.Optional(
      Type.Unsafe<(typeof roles)[number]>({
        type: 'string',
        enum: roles,
        description:
          'Whose texts of a request are changed. Absent: those of the user (messages, prompt, input, query, ' +
          'documents). all: every text of the conversation, not the tool definitions. In an answer every text is ' +
          'changed, unless this names another role.',
      }),
    ),
    restore: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Before the request: remembers what is replaced until the answer. After it: puts the remembered values ' +
          'back where the answer repeats a placeholder, behind the rules, which may be absent.',
      }),
    ),
  },
  { additionalProperties: false },
)

type Given = Static<typeof parameters>
type Parameters = Required<Pick<Given, 'restore' | 'rules'>> & Pick<Given, 'applyToRole'>
type Rule = Static<typeof rules>[number]

/** How a rule finds, and what stands in place of it. */
interface Finder {
  find(text: string): Turns<readonly Finding[]>
  template: string
}

export const redact: Check<Parameters> = {
  id: 'redact',
  title: 'Redact',
  description:
    'Replaces what rules find, by pattern, category or words, and puts it back into the answer when that is wanted. ' +
    'The verdict is always true.',
  kind: 'mutator',
  phases: ['before', 'after'],
  parameters,
  prepare({ rules, applyToRole, restore }) {
    if (rules.length === 0 && !restore) throw new Error('rules is empty, and nothing is to be restored')
    const finders = rules.map(prepareRule)
    for (const { template } of restore ? finders : []) checkRestorable(template)
    return {
      run(input, io) {
        const isAfter = input.phase === 'after'
        const meant = input.parts.filter(({ role }) => isMeant(role, input.phase, applyToRole))
        const redacting = { vault: vaultOf(io.shared), isKept: restore && !isAfter, parts: input.parts }
        const finish = (found: readonly Found[]) => {
          const texts = redactFound(found, {
            ...redacting,
            templateOf: (rule) => finders[Number(rule)]?.template ?? '',
          })
          const data = { ...describe(found), redacted: found.length > 0 }
          if (isAfter && restore)
            return found.length === 0 ? restored(input.parts, io) : restoredToo(input, texts, data, io)
          return texts.size === 0 ? { verdict: true, data } : { verdict: true, data, transformed: { texts } }
        }
        const found = runInTurns(findAll(finders, meant), io)
        return found instanceof Promise ? found.then(finish) : finish(found)
      },
    }
  },
}

/** Findings are named by the number of their rule. */
function* findAll(finders: readonly Finder[], parts: readonly TextPart[]): Turns<Found[]> {
  const all: Found[] = []
  for (const part of parts) {
    const json = readJsonText(part)
    let findings: Finding[] = []
    for (const [number, { find }] of finders.entries()) {
      const found = yield* find(json?.text ?? part.text)
      findings = addFree(
        findings,
        found.map((finding) => ({ ...finding, category: String(number) })),
      )
    }
    if (findings.length > 0) all.push({ part, json, findings })
  }
  return all
}

function prepareRule(rule: Rule): Finder {
  const template = (usual: string) => rule.replacement ?? usual
  if ('category' in rule)
    return {
      find: (text) => findInChunks(detectorOf(rule.category), text),
      template: template(templateOf(rule.category)),
    }
  const matcher: Pattern = compileRule(
    'pattern' in rule ? rule.pattern : wordsPattern(rule.words, rule.caseSensitive === true),
  )
  return { find: (text) => findMatches(matcher, text), template: template(templateOf('redacted')) }
}

const detectorOf = (category: string): Detect =>
  piiIds.includes(category)
    ? createPiiDetector(expandPii([category]))
    : createSecretDetector(new Set([category]))

function* findMatches(matcher: Pattern, text: string): Turns<Finding[]> {
  const spans = yield* matcher.inTurns.find(text, Number.POSITIVE_INFINITY)
  return spans.filter(({ start, end }) => start < end).map((span) => ({ category: '', ...span }))
}

/** Long words first, so that a word which begins another does not hide it. */
function wordsPattern(words: readonly string[], isCaseSensitive: boolean): string {
  const sorted = words.toSorted((left, right) => right.length - left.length)
  const alternatives = sorted.map((word) => word.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&'))
  return `/(?:${alternatives.join('|')})/s${isCaseSensitive ? '' : 'i'}`
}

/** A placeholder must be told from the text around it, and from those of other values. */
function checkRestorable(template: string): void {
  if (template.indexOf(numberMark) >= 2) return
  throw new Error(
    `the replacement "${template}" cannot be restored: it needs ${numberMark} behind at least two characters`,
  )
}

const othersRoles: readonly string[] = roles.filter((role) => role !== 'user' && role !== 'all')

function isMeant(role: string, phase: Phase, applyToRole: Parameters['applyToRole']): boolean {
  if (applyToRole === 'all') return role !== toolDefinition
  if (applyToRole === undefined && phase === 'after') return true
  return applyToRole === undefined || applyToRole === 'user'
    ? !othersRoles.includes(role)
    : role === applyToRole
}
