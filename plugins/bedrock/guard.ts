/**
 * `bedrock.guard`: a guardrail of Amazon Bedrock checks the texts and masks the parts that it anonymises.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html
 * Each text is a separate content block; masked outputs have the order of the blocks. Images are not checked.
 * Not confirmed: the vendor's answer to more text than its quota allows (an error is expected).
 * Errors: Error for a status that is not 2xx, and for an answer without an action; those of credentials.ts.
 */
import { type Check, isObject, type JsonObject, type TextPart, type Verdict } from '@gateway/contract'
import {
  type Change,
  type Filled,
  isStreaming,
  jsonOf,
  replaceTexts,
  scope,
  textOrNull,
  textsOf,
  timeoutOf,
  urlOf,
} from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { findingsOf } from './assessments.ts'
import { authorise } from './authorise.ts'
import { credentialMembers, credentialOf } from './credentials.ts'

const parameters = Type.Object(
  {
    guardrailId: Type.String({
      pattern: '^(?:[a-z0-9]+|arn:aws(?:-[a-z0-9-]+)?:bedrock:[a-z0-9-]{1,20}:\\d{12}:guardrail/[a-z0-9]+)$',
      description: 'The id of the guardrail, or its ARN.',
    }),
    guardrailVersion: Type.String({
      pattern: '^(?:[1-9]\\d{0,7}|DRAFT)$',
      description: 'The number of its version, or DRAFT.',
    }),
    redact: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Applies the masks of the guardrail, and passes if it blocked nothing.',
      }),
    ),
    timeout: timeoutOf(5000),
    scope,
    ...credentialMembers,
  },
  { additionalProperties: false },
)

export const guard: Check<Filled<typeof parameters, 'redact' | 'timeout' | 'scope'>> = {
  id: 'guard',
  title: 'Amazon Bedrock guardrail',
  description:
    'Fails when the guardrail intervenes; with redact, what it only masks is masked and passes. ' +
    'Only the texts are sent to the vendor.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ guardrailId, guardrailVersion, redact, timeout, scope, ...own }, settings) {
    const credential = credentialOf(own, settings)
    const guardrail = `${encodeURIComponent(guardrailId)}/version/${guardrailVersion}`
    const url = `${baseUrlOf(credential.region, settings)}/guardrail/${guardrail}/apply`
    return {
      transforms: redact,
      async run(input, io) {
        const parts = textsOf(input, scope)
        if (parts.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        const body = JSON.stringify({
          source: input.phase === 'before' ? 'INPUT' : 'OUTPUT',
          content: parts.map(({ text }) => ({ text: { text } })),
        })
        const headers = await authorise(credential, { url, body, nowMs: io.now() })
        // Bytes, because exactly the signed body must be sent.
        const answer = await io.fetch({ method: 'POST', url, headers, body, timeoutMs: timeout })
        return verdictOf(jsonOf('Bedrock', answer), parts, redact && !isStreaming(input))
      },
    }
  },
}

function baseUrlOf(region: string, settings: Readonly<JsonObject>): string {
  const vendorUrl = `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  return urlOf('baseUrl', {}, { settings, vendorUrl })
}

/** The maximum number of reported findings. */
const maxReported = 50

function verdictOf(answer: unknown, parts: readonly TextPart[], redact: boolean): Verdict {
  if (!isObject(answer) || (answer.action !== 'NONE' && answer.action !== 'GUARDRAIL_INTERVENED'))
    throw new Error('the answer of Bedrock has no action')
  const { action } = answer
  const findings = findingsOf(answer.assessments)
  const data = { action, findings: findings.slice(0, maxReported) }
  if (action === 'NONE') return { verdict: true, data }
  const isMasked = findings.length > 0 && findings.every((finding) => harmless.has(finding.action))
  return redact && isMasked ? replaceTexts(changesOf(answer, parts), data) : { verdict: false, data }
}

const harmless: ReadonlySet<string | null> = new Set(['ANONYMIZED', 'NONE'])

/** The masked texts; empty when the outputs cannot be assigned to the blocks. */
function changesOf({ outputs }: JsonObject, parts: readonly TextPart[]): Change[] {
  const texts = (Array.isArray(outputs) ? outputs : []).map((output) =>
    isObject(output) ? textOrNull(output.text) : null,
  )
  if (texts.length !== parts.length || texts.includes(null)) return []
  return parts
    .map(({ path, text }, index) => ({ path, before: text, after: texts[index] ?? text }))
    .filter(({ before, after }) => before !== after)
}
