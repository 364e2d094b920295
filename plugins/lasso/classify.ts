/**
 * `lasso.classify`: the deputies of Lasso Security classify the conversation (API v3).
 * The vendor's reference is not public. The request and the answer are those of the integrations that it maintains:
 * https://docs.litellm.ai/docs/proxy/guardrails/lasso_security,
 * https://www.truefoundry.com/docs/ai-gateway/lasso-security
 * Not confirmed: roles beyond system, developer, user and assistant (they are sent as user), and limits of size.
 * Errors: Error for a status that is not 200, and for an answer that does not say whether there are violations.
 */
import { type Check, isObject, type Json, type JsonObject, type TextPart } from '@gateway/contract'
import { type Static, Type } from '@sinclair/typebox'

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
        description: 'The whole conversation, or its last message alone.',
      }),
    ),
    apiKey: Type.Optional(
      Type.String({ pattern: '^[\\x21-\\x7e]+$', description: 'Instead of plugins.settings.lasso.apiKey.' }),
    ),
  },
  { additionalProperties: false },
)

type Message = { role: string; content: string }

export const classify: Check<Static<typeof parameters>> = {
  id: 'classify',
  title: 'Lasso classifier',
  description:
    'Fails when a deputy detects a violation, whatever action the vendor’s policy names for it. ' +
    'The texts and their roles go to the vendor, and the two ids where the parameters give them.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ messages: given, conversationId, userId, timeout, scope, apiKey }, settings) {
    const key = apiKey ?? settings.apiKey
    if (typeof key !== 'string')
      throw new Error('apiKey is missing: set plugins.settings.lasso.apiKey, or the parameter')
    const { baseUrl } = settings
    const base = typeof baseUrl === 'string' ? baseUrl.replace(/\/$/, '') : 'https://server.lasso.security'
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
        const { status, json } = await io.fetchJson({
          method: 'POST',
          url: `${base}/gateway/v3/classify`,
          headers,
          json: { messages, messageType: 'PROMPT', sessionId: conversationId, userId },
          timeoutMs: timeout,
        })
        if (status !== 200) throw new Error(`Lasso answered with status ${status}`)
        if (!isObject(json) || typeof json.violations_detected !== 'boolean')
          throw new Error('the answer of Lasso does not say whether there are violations')
        return { verdict: !json.violations_detected, data: dataOf(json) }
      },
    }
  },
}

const roles: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant'])

const messageOf = ({ role, text }: TextPart): Message => ({
  role: roles.has(role) ? role : 'user',
  content: text,
})

/** More findings than these are cut off. */
const maxFindings = 20

/** Which deputies found something, and how they rate it; the findings' own texts may quote the prompt. */
function dataOf({ deputies, findings }: JsonObject): JsonObject {
  const violated = Object.entries(isObject(deputies) ? deputies : {}).flatMap(([name, found]) =>
    found === true ? [name] : [],
  )
  const rated = Object.entries(isObject(findings) ? findings : {}).flatMap(([deputy, list]) =>
    (Array.isArray(list) ? list : []).filter(isObject).map(({ action, severity }) => ({
      deputy,
      action: wordOrNull(action),
      severity: wordOrNull(severity),
    })),
  )
  return { deputies: violated, findings: rated.slice(0, maxFindings) }
}

const wordOrNull = (value: Json | undefined): string | null =>
  typeof value === 'string' && /^\w{1,40}$/.test(value) ? value : null
