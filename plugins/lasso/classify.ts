/**
 * `lasso.classify`: the deputies of Lasso Security classify the conversation (API v3).
 * The vendor's reference is not public. The request and the answer are those of the integrations that it maintains:
 * https://docs.litellm.ai/docs/proxy/guardrails/lasso_security,
 * https://www.truefoundry.com/docs/ai-gateway/lasso-security Not confirmed: roles other than system, developer, user
 * and assistant (they are sent as user), and size limits.
 * Errors: Error for a status that is not 2xx, and for an answer that does not report whether violations were found.
 */
import { type Check, isObject, type Json, type JsonObject, type TextPart } from '@gateway/contract'
import {
  type Filled,
  keyOf,
  objectsIn,
  postForObject,
  scope,
  secret,
  timeoutOf,
  urlOf,
} from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendorUrl = 'https://server.lasso.security'

const identifier = '^[\\x21-\\x7e]{1,256}$'

const parameters = Type.Object(
  {
    messages: Type.Optional(
      Type.Array(
        Type.Object(
          { role: Type.String({ minLength: 1 }), content: Type.String() },
          { additionalProperties: false },
        ),
        { minItems: 1, description: 'What is classified instead of the request’s own texts.' },
      ),
    ),
    conversationId: Type.Optional(
      Type.String({
        pattern: identifier,
        description: 'Groups the calls of one conversation at the vendor.',
      }),
    ),
    userId: Type.Optional(
      Type.String({
        pattern: identifier,
        description: 'The end user that the vendor attributes the call to.',
      }),
    ),
    timeout: timeoutOf(5000),
    scope,
    apiKey: secret('Overrides plugins.settings.lasso.apiKey.'),
  },
  { additionalProperties: false },
)

type Message = { role: string; content: string }

export const classify: Check<Filled<typeof parameters, 'timeout' | 'scope'>> = {
  id: 'classify',
  title: 'Lasso classifier',
  description:
    'Fails when a deputy detects a violation, regardless of the action in the vendor’s policy. ' +
    'The texts and their roles are sent to the vendor, and the two ids where the parameters give them.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ messages: given, conversationId, userId, timeout, scope, apiKey }, settings) {
    const key = keyOf('lasso', { key: 'apiKey', url: 'baseUrl' }, { parameters: { apiKey }, settings })
    const base = urlOf('baseUrl', {}, { settings, vendorUrl })
    const headers = {
      'lasso-api-key': key,
      ...(conversationId === undefined ? {} : { 'lasso-conversation-id': conversationId }),
      ...(userId === undefined ? {} : { 'lasso-user-id': userId }),
    }
    return {
      async run(input, io) {
        const own = () =>
          scope === 'last' ? [{ role: 'user', content: input.lastText }] : input.parts.map(messageOf)
        const messages = (given ?? own()).filter(({ content }) => content.trim() !== '')
        if (messages.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        const answer = await postForObject(io, 'Lasso', {
          url: `${base}/gateway/v3/classify`,
          headers,
          json: { messages, messageType: 'PROMPT', sessionId: conversationId, userId },
          timeoutMs: timeout,
        })
        if (typeof answer.violations_detected !== 'boolean')
          throw new Error('the answer of Lasso does not say whether there are violations')
        return { verdict: !answer.violations_detected, data: dataOf(answer) }
      },
    }
  },
}

const roles: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant'])

const messageOf = ({ role, text }: TextPart): Message => ({
  role: roles.has(role) ? role : 'user',
  content: text,
})

/** The maximum number of reported findings. */
const maxFindings = 20

/**
 * The deputies with findings, and their ratings. The findings' texts are left out, because they may quote the prompt.
 */
function dataOf({ deputies, findings }: JsonObject): JsonObject {
  const violated = Object.entries(isObject(deputies) ? deputies : {}).flatMap(([name, found]) =>
    found === true ? [name] : [],
  )
  const rated = Object.entries(isObject(findings) ? findings : {}).flatMap(([deputy, list]) =>
    objectsIn(list).map(({ action, severity }) => ({
      deputy,
      action: wordOrNull(action),
      severity: wordOrNull(severity),
    })),
  )
  return { deputies: violated, findings: rated.slice(0, maxFindings) }
}

const wordOrNull = (value: Json | undefined): string | null =>
  typeof value === 'string' && /^\w{1,40}$/.test(value) ? value : null
