/** Shared by the checks that search for kinds of data: `default.pii` and `default.secrets`. */
import {
  type CheckInput,
  type CheckIo,
  type PreparedCheck,
  runInTurns,
  type TextPart,
  type Verdict,
} from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { not, type Scope, scope } from '../shared/parameters.ts'
import { partsInScope, toolDefinition } from '../shared/parts.ts'
import type { Category, Detect } from './finding.ts'
import { describe, type Found, findInParts, redact, restore } from './redaction.ts'
import { restorableOf, templateOf, vaultOf } from './vault.ts'

/** The parameters in addition to the categories. */
export const detectionParameters = {
  redact: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Replaces matches with placeholders such as [EMAIL_1], the same for the same value, and passes. ' +
        'Tool definitions stay unchanged. A streamed answer is held back until it ends.',
    }),
  ),
  restore: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Before the request, with redact: stores the values until the answer. After it: puts the stored ' +
        'values back where the answer repeats a placeholder (without redact, that is all it does). A saved ' +
        'guardrail with both can run before and after the request.',
    }),
  ),
  not,
  scope,
}

export interface DetectionParameters {
  redact: boolean
  restore: boolean
  not: boolean
  scope: Scope
}

/** The parameter that chooses categories. */
export const categoriesParameter = (categories: readonly Category[], more = '') =>
  Type.Optional(
    Type.Array(Type.Unsafe<string>({ type: 'string', enum: categories.map(({ id }) => id) }), {
      default: [],
      uniqueItems: true,
      description: `The categories to search for; an empty list means all. ${categories.map(({ id, title }) => `${id}: ${title}`).join('; ')}.${more}`,
    }),
  )

/**
 * Makes a check that passes when nothing is found, or all matches were redacted.
 * @param longestMatch the number of UTF-16 units needed to recognise a match of any category
 */
export function prepareDetection(
  detect: Detect,
  longestMatch: number,
  parameters: DetectionParameters,
): PreparedCheck {
  const { redact: redacts, restore: restores, not, scope } = parameters
  if (not && (redacts || restores))
    throw new Error('not cannot be combined with redact or restore, because redacted texts pass')
  return {
    windowed: !redacts && !restores && !not,
    longestMatch,
    transforms: redacts || restores,
    run(input, io) {
      const isAfter = input.phase === 'after'
      if (isAfter && restores && !redacts) return restored(input.parts, io)
      const decide = (found: readonly Found[]): Verdict => {
        const data = { ...describe(found), redacted: redacts && found.length > 0 }
        if (!redacts) return { verdict: (found.length === 0) !== not, data }
        const vault = vaultOf(io.shared)
        const texts = redact(found, { vault, templateOf, isKept: restores && !isAfter, parts: input.parts })
        return isAfter && restores
          ? restoredToo(input, texts, { data, io })
          : withTexts({ verdict: true, data }, texts)
      }
      const inScope = partsInScope(input, scope)
      const parts = redacts ? inScope.filter(({ role }) => role !== toolDefinition) : inScope
      const found = runInTurns(findInParts(detect, parts), io)
      return found instanceof Promise ? found.then(decide) : decide(found)
    },
  }
}

const withTexts = (verdict: Verdict, texts: ReadonlyMap<string, string>): Verdict =>
  texts.size === 0 ? verdict : { ...verdict, transformed: { texts } }

/** Puts back values that were stored before the request. */
export function restored(parts: readonly TextPart[], { shared }: Pick<CheckIo, 'shared'>): Verdict {
  const restorable = restorableOf(shared)
  const texts = restorable === null ? new Map<string, string>() : restore(parts, restorable)
  return withTexts({ verdict: true, data: { restored: texts.size } }, texts)
}

/** The same after a redaction of the answer: text that the model itself produced stays redacted. */
export function restoredToo(
  { parts }: CheckInput,
  redacted: ReadonlyMap<string, string>,
  { data, io }: { data: object; io: Pick<CheckIo, 'shared'> },
): Verdict {
  const rewritten = parts.map((part) => ({ ...part, text: redacted.get(part.path) ?? part.text }))
  const { transformed } = restored(rewritten, io)
  const texts = transformed !== undefined && 'texts' in transformed ? transformed.texts : new Map()
  return withTexts(
    { verdict: true, data: { ...data, restored: texts.size } },
    new Map([...redacted, ...texts]),
  )
}
