/**
 * `bedrock.guard`: a guardrail of Amazon Bedrock judges the texts, and masks what it anonymises.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html
 * Each text is a content block of its own; masked, the outputs stand in the order of the blocks. Images are not looked at.
 * Not confirmed: what the vendor answers to more text than its quota allows (an error is expected).
 * Errors: Error for a status that is not 200, and for an answer without an action; those of credentials.ts.
 */
import {
  type Check,
  type CheckInput,
  isObject,
  type JsonObject,
  type TextPart,
  type Verdict,
} from '@gateway/contract'
import { type Static, Type } from '@sinclair/typebox'
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
        description: 'Takes over what the guardrail masked, and passes where it blocked nothing.',
      }),
    ),
    timeout: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 60_000,
        default: 5000,
        description: 'Milliseconds until the verdict must be there.',
      }),
    ),
    scope: Type.Optional(
      Type.Unsafe<'all' | 'last'>({
        type: 'string',
        enum: ['all', 'last'],
        default: 'all',
        description: 'The whole conversation, or its last message alone. Of an answer, every choice.',
      }),
    ),
    ...credentialMembers,
  },
  { additionalProperties: false },
)

export const guard: Check<Static<typeof parameters>> = {
  id: 'guard',
  title: 'Amazon Bedrock guardrail',
  description:
    'Fails when the guardrail intervenes; with redact, what it only masks is masked and passes. ' +
    'Only the texts go to the vendor.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ guardrailId, guardrailVersion, redact, timeout, scope, ...own }, settings) {
    const credential = credentialOf(own, settings)
    const guardrail = `${encodeURIComponent(guardrailId)}/version/${guardrailVersion}`
    const url = `${baseUrlOf(credential.region, settings)}/guardrail/${guardrail}/apply`
    return {
      transforms: redact === true,
      async run(input, io) {
        const parts = partsOf(input, scope === 'last')
        if (parts.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        const body = JSON.stringify({
          source: input.phase === 'before' ? 'INPUT' : 'OUTPUT',
          content: parts.map(({ text }) => ({ text: { text } })),
        })
        const headers = await authorise(credential, { url, body, nowMs: io.now() })
        // Bytes, so that what was signed is what travels.
        const answer = await io.fetch({ method: 'POST', url, headers, body, timeoutMs: timeout })
        if (answer.status !== 200) throw new Error(`Bedrock answered with status ${answer.status}`)
        return verdictOf(parse(answer.bytes.toString('utf8')), parts, redact === true && !isFlowing(input))
      },
    }
  },
}

function baseUrlOf(region: string, { baseUrl }: Readonly<JsonObject>): string {
  if (typeof baseUrl === 'string') return baseUrl.replace(/\/$/, '')
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

const partsOf = ({ parts, lastParts }: CheckInput, isLast: boolean): TextPart[] =>
  (isLast ? lastParts : parts).filter(({ role, text }) => role !== 'tool_definition' && text.trim() !== '')

/** A streamed answer that flows already cannot be masked any more. */
const isFlowing = ({ phase, response }: CheckInput): boolean => phase === 'after' && response?.json === null

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** As many findings are named. */
const maxReported = 50

function verdictOf(answer: unknown, parts: readonly TextPart[], redact: boolean): Verdict {
  if (!isObject(answer) || (answer.action !== 'NONE' && answer.action !== 'GUARDRAIL_INTERVENED'))
    throw new Error('the answer of Bedrock has no action')
  const { action } = answer
  const findings = findingsOf(answer.assessments)
  const data = { action, findings: findings.slice(0, maxReported) }
  if (action === 'NONE') return { verdict: true, data }
  const isMasked = findings.length > 0 && findings.every((finding) => harmless.has(finding.action))
  const masked = redact && isMasked ? maskedParts(answer, parts) : []
  const fitting = masked.filter(({ path, text, masked: after }) => fits(path, text, after))
  if (fitting.length === 0) return { verdict: false, data }
  const texts = new Map(fitting.map(({ path, masked: after }) => [path, after]))
  return { verdict: fitting.length === masked.length, data, transformed: { texts } }
}

const harmless: ReadonlySet<string | null> = new Set(['ANONYMIZED', 'NONE'])

/** The texts that were masked; none where the outputs cannot be told apart. */
function maskedParts({ outputs }: JsonObject, parts: readonly TextPart[]) {
  const texts = (Array.isArray(outputs) ? outputs : []).map((output) =>
    isObject(output) && typeof output.text === 'string' ? output.text : null,
  )
  if (texts.length !== parts.length || texts.includes(null)) return []
  return parts
    .map((part, index) => ({ ...part, masked: texts[index] ?? part.text }))
    .filter(({ text, masked }) => masked !== text)
}

/** A tool's input is an object, given as its JSON: what is none any more cannot stand in its place. */
function fits(path: string, before: string, after: string): boolean {
  return !path.endsWith('/input') || !isObject(parse(before)) || isObject(parse(after))
}
