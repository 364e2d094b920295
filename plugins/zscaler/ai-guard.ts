/**
 * `zscaler.aiGuard`: a detection policy of Zscaler AI Guard checks the text.
 * Reference: https://help.zscaler.com/ai-guard (behind a login); the request and the answer are those of the vendor's SDK,
 * https://github.com/zscaler/zscaler-sdk-python/blob/master/zscaler/zaiguard/policy_detection.py
 * Not confirmed: the maximum length of a content, and ids of policies that are not numbers.
 * Errors: Error for another status, in HTTP or in the answer, for a policy with a detector that failed or was throttled
 * (unless another one blocked), and for an answer that has no action.
 */
import { type Check, isObject } from '@gateway/contract'
import { type Filled, keyOf, post, scope, secret, textOrNull, timeoutOf, urlOf } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendor = 'Zscaler AI Guard'

const parameters = Type.Object(
  {
    policyId: Type.Union([Type.Integer({ minimum: 1 }), Type.String({ minLength: 1 })], {
      description: 'The id of the detection policy that checks the text.',
    }),
    timeout: timeoutOf(10_000),
    scope,
    apiKey: secret('Overrides plugins.settings.zscaler.apiKey.'),
  },
  { additionalProperties: false },
)

export const aiGuard: Check<Filled<typeof parameters, 'timeout' | 'scope'>> = {
  id: 'aiGuard',
  title: 'Zscaler AI Guard',
  description:
    'Fails when the policy blocks the text. Text with mere detections passes; data lists them. ' +
    'Only the text is sent to the vendor.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ policyId, timeout, scope, apiKey }, settings) {
    const key = keyOf('zscaler', { key: 'apiKey', url: 'baseUrl' }, { parameters: { apiKey }, settings })
    const cloud = typeof settings.cloud === 'string' ? settings.cloud : 'us1'
    const base = urlOf('baseUrl', {}, { settings, vendorUrl: `https://api.${cloud}.zseclipse.net` })
    const url = `${base}/v1/detection/execute-policy`
    // The vendor's policy ids are numbers; an id from a form is a string.
    const id = typeof policyId === 'string' && /^\d{1,15}$/.test(policyId) ? Number(policyId) : policyId
    return {
      async run(input, io) {
        const content = scope === 'last' ? input.lastText : input.text
        if (content.trim() === '') return { verdict: true, data: { skipped: 'no text' } }
        const answer = await post(io, vendor, {
          url,
          headers: { authorization: `Bearer ${key}` },
          json: { policyId: id, direction: input.phase === 'before' ? 'IN' : 'OUT', content },
          timeoutMs: timeout,
        })
        return verdictOf(answer)
      },
    }
  },
}

const actions: readonly unknown[] = ['ALLOW', 'DETECT', 'BLOCK']

function verdictOf(answer: unknown) {
  if (!isObject(answer) || !actions.includes(answer.action)) throw new Error(whyUnread(answer))
  const { action, severity, transactionId } = answer
  const isBlocked = action === 'BLOCK'
  const failed = answer.detectorErrorCount
  if (!isBlocked && typeof failed === 'number' && failed > 0)
    throw new Error(`${failed} detectors of ${vendor} gave no verdict`)
  if (!isBlocked && Array.isArray(answer.throttlingDetails) && answer.throttlingDetails.length > 0)
    throw new Error(`${vendor} throttles the tenant’s calls`)
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

/** The body of a 200 may contain another status. */
function whyUnread(answer: unknown): string {
  const status = isObject(answer) ? answer.statusCode : null
  return typeof status === 'number' && status !== 200
    ? `${vendor} answered with status ${status}`
    : `the answer of ${vendor} has no action`
}
