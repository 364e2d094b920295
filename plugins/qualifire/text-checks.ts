/**
 * The checks of Qualifire that read only texts, as rows: `qualifire.contentModeration`, `pii` and `promptInjections`
 * read the texts of their phase; `hallucinations` and `grounding` compare the answer with the request, and need both.
 * See evaluate.ts.
 */
import type { Check, CheckInput, JsonObject, Phase } from '@gateway/contract'
import { type Scope, scope, textsOf } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { common, evaluatorOf, type Mode, mode } from './evaluate.ts'

interface Row {
  id: string
  title: string
  description: string
  phases: readonly Phase[]
  /** The member of the request that enables the evaluation. */
  flag: string
  /** The member for the mode, if the evaluation has one; such an evaluation compares the answer with the request. */
  mode?: string
}

const rows: readonly Row[] = [
  {
    id: 'contentModeration',
    title: 'Qualifire content moderation',
    description: 'Fails on dangerous, harassing, hateful or sexual content.',
    phases: ['before', 'after'],
    flag: 'content_moderation_check',
  },
  {
    id: 'hallucinations',
    title: 'Qualifire hallucinations',
    description: 'Fails on an answer with hallucinations. The request’s texts go along.',
    phases: ['after'],
    flag: 'hallucinations_check',
    mode: 'hallucinations_mode',
  },
  {
    id: 'pii',
    title: 'Qualifire PII',
    description: 'Fails on personal data.',
    phases: ['before', 'after'],
    flag: 'pii_check',
  },
  {
    id: 'promptInjections',
    title: 'Qualifire prompt injections',
    description: 'Fails on prompt injections.',
    phases: ['before'],
    flag: 'prompt_injections',
  },
  {
    id: 'grounding',
    title: 'Qualifire grounding',
    description: 'Fails on an answer that is not grounded in the request. The request’s texts go along.',
    phases: ['after'],
    flag: 'grounding_check',
    mode: 'grounding_mode',
  },
]

interface TextParameters {
  mode?: Mode
  scope?: Scope
  timeout: number
  apiKey?: string
}

function checkOf(row: Row): Check<TextParameters> {
  const members = {
    ...(row.mode === undefined ? {} : { mode }),
    ...(row.phases.includes('before') ? { scope } : {}),
    ...common,
  }
  return {
    id: row.id,
    title: row.title,
    description: `${row.description} The texts are sent to the vendor as one text.`,
    kind: 'guardrail',
    phases: row.phases,
    parameters: Type.Object(members, { additionalProperties: false }),
    prepare({ mode, scope = 'all', ...given }, settings) {
      const evaluate = evaluatorOf(given, settings)
      const fixed = { [row.flag]: true, ...(row.mode === undefined ? {} : { [row.mode]: mode }) }
      return {
        async run(input, io) {
          const text = joinedTexts(input, scope)
          if (text === '') return { verdict: true, data: { skipped: 'no text' } }
          return evaluate(io, { ...subjectOf(row, input, text), ...fixed })
        },
      }
    },
  }
}

/** The texts that are sent to the vendor, as one text. */
export const joinedTexts = (input: CheckInput, scope: Scope): string =>
  textsOf(input, scope)
    .map(({ text }) => text)
    .join('\n')

function subjectOf(row: Row, { phase, request }: CheckInput, text: string): JsonObject {
  if (phase === 'before') return { input: text }
  return row.mode === undefined ? { output: text } : { input: request.text, output: text }
}

export const textChecks = rows.map(checkOf)
