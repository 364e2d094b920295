/**
 * `crowdstrike-aidr.guardChatCompletions`: the policy of a CrowdStrike AIDR collector blocks the texts, lets them pass,
 * or masks them. Reference: `POST /v1/guard_chat_completions` of
 * https://github.com/CrowdStrike/aidr-typescript (specs/ai-guard.openapi.json); address as in its README. Each text is
 * sent as a separate message, because a masked text must replace its original. No user, model or application is sent.
 * Not confirmed without the vendor: the roles that it distinguishes in addition to system, user, assistant and tool.
 * Errors: Error for a status that is not 2xx, for an answer without success (a 202 asks to retry later), and
 * when the number of masked messages differs from the number sent.
 */
import { type Check, isObject, type JsonObject, type TextPart } from '@gateway/contract'
import {
  address,
  type Change,
  type Filled,
  keyOf,
  nameOf,
  postForObject,
  replacementOf,
  scope,
  secret,
  textsOf,
  timeoutOf,
  unreadable,
  urlOf,
} from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendor = 'CrowdStrike AIDR'
const vendorUrl = 'https://api.crowdstrike.com/aidr/aiguard'

const parameters = Type.Object(
  {
    scope,
    timeout: timeoutOf(5000),
    apiKey: secret('Overrides plugins.settings.crowdstrike-aidr.apiKey.'),
    baseUrl: address(`Default: ${vendorUrl}. Requires apiKey as well.`),
  },
  { additionalProperties: false },
)

export const guardChatCompletions: Check<Filled<typeof parameters, 'scope' | 'timeout'>> = {
  id: 'guardChatCompletions',
  title: 'CrowdStrike AIDR guard',
  description:
    'Fails when the policy blocks the texts. What the policy masks is masked, with the verdict true. ' +
    'The texts and their roles are sent to the vendor.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ scope, timeout, ...given }, settings) {
    const names = { key: 'apiKey', url: 'baseUrl' }
    const key = keyOf('crowdstrike-aidr', names, { parameters: given, settings })
    const url = urlOf('baseUrl', given, { settings, vendorUrl })
    return {
      // The vendor's policy, which is not known here, determines whether it redacts.
      transforms: true,
      async run(input, io) {
        const texts = textsOf(input, scope)
        if (texts.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        const answer = await postForObject(io, vendor, {
          url: `${url}/v1/guard_chat_completions`,
          headers: { authorization: `Bearer ${key}` },
          json: {
            guard_input: { messages: texts.map(messageOf) },
            event_type: input.phase === 'before' ? 'input' : 'output',
          },
          timeoutMs: timeout,
        })
        const result = resultOf(answer)
        const isAllowed = result.blocked !== true
        const masked = isAllowed && result.transformed === true ? maskedTexts(result.guard_output, texts) : []
        const { transformed, isWhole } = replacementOf(masked)
        return {
          verdict: isAllowed && isWhole,
          data: { policy: nameOf(result.policy), detected: detectedBy(result.detectors) },
          transformed,
        }
      },
    }
  },
}

const roles: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool'])

const messageOf = ({ role, text }: TextPart): JsonObject => ({
  role: roles.has(role) ? role : role === 'developer' ? 'system' : 'user',
  content: text,
})

function resultOf({ status, result }: JsonObject): JsonObject {
  const isSuccess = typeof status === 'string' && status.toLowerCase() === 'success'
  if (!isSuccess || !isObject(result)) return unreadable(vendor)
  if (typeof result.blocked !== 'boolean' && !isObject(result.detectors)) return unreadable(vendor)
  return result
}

/** The changed texts, by path. */
function maskedTexts(output: unknown, texts: readonly TextPart[]): Change[] {
  const messages = isObject(output) ? output.messages : undefined
  if (!Array.isArray(messages) || messages.length !== texts.length) return unreadable(vendor)
  return texts.flatMap(({ path, text }, index) => {
    const message = messages[index]
    if (!isObject(message) || typeof message.content !== 'string') return unreadable(vendor)
    return message.content === text ? [] : [{ path, before: text, after: message.content }]
  })
}

/** The detectors with findings, and the action of the policy. */
function detectedBy(detectors: unknown): JsonObject[] {
  if (!isObject(detectors)) return []
  return Object.entries(detectors).flatMap(([detector, found]) => {
    if (!isObject(found) || found.detected !== true) return []
    return [{ detector: nameOf(detector), action: isObject(found.data) ? nameOf(found.data.action) : null }]
  })
}
