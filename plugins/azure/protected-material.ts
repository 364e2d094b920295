/**
 * `azure.protectedMaterial`: detects known lyrics, articles and similar texts in the model's answer.
 * Reference: https://learn.microsoft.com/rest/api/contentsafety/text-operations/detect-text-protected-material A text
 * must have 110 characters and may have 10,000; shorter answers pass without a call, longer ones are judged in pieces.
 * Not confirmed: the vendor's answer to a text that is too short.
 * Errors: Error for an answer without an analysis; those of service.ts and split-text.ts.
 */
import { type Check, isObject, type JsonObject } from '@gateway/contract'
import type { Filled } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { apiVersion, common } from './shared/parameters.ts'
import { createPost } from './shared/service.ts'
import { piecesOf } from './shared/split-text.ts'

const parameters = Type.Object(
  { apiVersion: Type.Optional(apiVersion('2024-09-01')), ...common },
  { additionalProperties: false },
)

const minChars = 110
const maxChars = 10_000

export const protectedMaterial: Check<Filled<typeof parameters, 'apiVersion' | 'timeout'>> = {
  id: 'protectedMaterial',
  title: 'Azure protected material',
  description:
    'Fails when the answer holds known text of others. Less than 110 characters pass; more than 200,000 are an ' +
    'error. Only the answer’s text is sent to the vendor.',
  kind: 'guardrail',
  phases: ['after'],
  parameters,
  prepare(own, settings) {
    const post = createPost('contentSafety', own, settings)
    return {
      async run({ text }, io) {
        if (text.length < minChars) return { verdict: true, data: { skipped: 'too short' } }
        const answers = await Promise.all(
          piecesOf(text, maxChars).map((piece) =>
            post('/contentsafety/text:detectProtectedMaterial', { text: piece }, io),
          ),
        )
        const detected = answers.map(isDetected).includes(true)
        return { verdict: !detected, data: { detected } }
      },
    }
  },
}

function isDetected({ protectedMaterialAnalysis: analysis }: JsonObject): boolean {
  if (!isObject(analysis) || typeof analysis.detected !== 'boolean')
    throw new Error('the answer of Azure does not say whether there is protected material')
  return analysis.detected
}
