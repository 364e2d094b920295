/**
 * `zscaler.aiGuard`: a detection policy of Zscaler AI Guard judges the text.
 * Reference: https://help.zscaler.com/ai-guard (behind a login); the request and the answer are those of the vendor's SDK,
 * https://github.com/zscaler/zscaler-sdk-python/blob/master/zscaler/zaiguard/policy_detection.py
 * Not confirmed: how long a content may be, and the ids of policies that are no numbers.
 * Errors: Error for another status, in HTTP or in the answer, for a policy of which a detector failed or was held back
 * (unless another one blocked), and for an answer that has no action.
 */
import { type Check, isObject, type Json, type JsonObject } from '@gateway/contract'
import { type Static, Type } from '@sinclair/typebox'

const parameters = Type.Object(
  {
    policyId: Type.Union([Type.Integer({ minimum: 1 }), Type.String({ minLength: 1 })], {
      description: 'The id of the detection policy that judges.',
    }),
    timeout: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 60_000,
        default: 10_000,
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
    apiKey: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]+$',
        description: 'Instead of plugins.settings.zscaler.apiKey.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const aiGuard: Check<Static<typeof parameters>> = {
  id: 'aiGuard',
  title: 'Zscaler AI Guard',
  description:
    'Fails when the policy blocks the text. What it only detects passes, and stands in data. ' +
    'Only the text goes to the vendor.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ policyId, timeout, scope, apiKey }, settings) {
    const key = apiKey ?? settings.apiKey
    if (typeof key !== 'string')
      throw new Error('apiKey is missing: set plugins.settings.zscaler.apiKey, or the parameter')
    const url = `${baseUrlOf(settings)}/v1/detection/execute-policy`
    // The vendor counts its policies; an id out of a form comes as text.
    const id = typeof policyId === 'string' && /^\d{1,15}$/.test(policyId) ? Number(policyId) : policyId
    return {
      async run(input, io) {
        const content = scope === 'last' ? input.lastText : input.text
        if (content.trim() === '') return { verdict: true, data: { skipped: 'no text' } }
        const { status, json } = await io.fetchJson({
          method: 'POST',
          url,
          headers: { authorization: `Bearer ${key}` },
          json: { policyId: id, direction: input.phase === 'before' ? 'IN' : 'OUT', content },
          timeoutMs: timeout,
        })
        if (status !== 200) throw new Error(`Zscaler AI Guard answered with status ${status}`)
        return verdictOf(json)
      },
    }
  },
}

function baseUrlOf({ baseUrl, cloud }: Readonly<JsonObject>): string {
  if (typeof baseUrl === 'string') return baseUrl.replace(/\/$/, '')
  return `https://api.${typeof cloud === 'string' ? cloud : 'us1'}.zseclipse.net`
}

const actions: readonly unknown[] = ['ALLOW', 'DETECT', 'BLOCK']

function verdictOf(answer: unknown) {
  if (!isObject(answer) || !actions.includes(answer.action)) throw new Error(whyUnread(answer))
  const { action, severity, transactionId } = answer
  const isBlocked = action === 'BLOCK'
  const failed = answer.detectorErrorCount
  if (!isBlocked && typeof failed === 'number' && failed > 0)
    throw new Error(`${failed} detectors of Zscaler AI Guard gave no verdict`)
  if (!isBlocked && Array.isArray(answer.throttlingDetails) && answer.throttlingDetails.length > 0)
    throw new Error('Zscaler AI Guard holds the tenant’s calls back')
  const detectors = isObject(answer.detectorResponses) ? Object.entries(answer.detectorResponses) : []
  return {
    verdict: !isBlocked,
    data: {
      action,
      severity: textOrNull(severity),
      transactionId: textOrNull(transactionId),
      detectors: detectors.flatMap(([name, found]) =>
        isObject(found) && found.triggered === true ? [{ name, action: textOrNull(found.action) }] : [],
      ),
    },
  }
}

const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)

/** A status other than 200 may stand in the body of a 200. */
function whyUnread(answer: unknown): string {
  const status = isObject(answer) ? answer.statusCode : null
  return typeof status === 'number' && status !== 200
    ? `Zscaler AI Guard answered with status ${status}`
    : 'the answer of Zscaler AI Guard has no action'
}
