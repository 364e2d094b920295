/**
 * `aporia.validateProject`: the policies of an Aporia project judge the prompt or the answer.
 * Reference: https://gr-docs.aporia.com/fundamentals/integration/rest-api
 * The vendor requires the messages for an answer, too: policies such as relevance compare the two. Its revised text is
 * not used: it is one text, and the answer may have many.
 * Errors: Error for a status that is not 200, and for an answer without an action that the reference names.
 */
import {
  type Check,
  type CheckInput,
  isObject,
  type Json,
  type JsonObject,
  type TextPart,
} from '@gateway/contract'
import { type Static, Type } from '@sinclair/typebox'

const parameters = Type.Object(
  {
    projectID: Type.String({
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'The id of the project whose policies judge.',
    }),
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
    apiKey: Type.Optional(
      Type.String({ pattern: '^[\\x21-\\x7e]+$', description: 'Instead of plugins.settings.aporia.apiKey.' }),
    ),
  },
  { additionalProperties: false },
)

export const validateProject: Check<Static<typeof parameters>> = {
  id: 'validateProject',
  title: 'Aporia project',
  description:
    'Fails when the project’s policies block the text or would rewrite it. The texts and their roles go to the ' +
    'vendor; with an answer, the prompt as well.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ projectID, timeout, scope, apiKey }, settings) {
    const key = apiKey ?? settings.apiKey
    if (typeof key !== 'string')
      throw new Error('apiKey is missing: set plugins.settings.aporia.apiKey, or the parameter')
    const { baseUrl } = settings
    const base = typeof baseUrl === 'string' ? baseUrl.replace(/\/$/, '') : 'https://gr-prd.aporia.com'
    return {
      async run(input, io) {
        const looked = scope === 'last' ? input.lastText : input.text
        if (looked.trim() === '') return { verdict: true, data: { skipped: 'no text' } }
        const { status, json } = await io.fetchJson({
          method: 'POST',
          url: `${base}/${projectID}/validate`,
          headers: { 'x-aporia-api-key': key },
          json: { ...subjectOf(input, scope === 'last'), explain: false },
          timeoutMs: timeout,
        })
        if (status !== 200) throw new Error(`Aporia answered with status ${status}`)
        if (!isObject(json) || !actions.includes(json.action))
          throw new Error('the answer of Aporia has no action')
        return {
          verdict: json.action === 'passthrough',
          data: { action: json.action, policies: policiesOf(json.policy_execution_result) },
        }
      },
    }
  },
}

const actions: readonly unknown[] = ['passthrough', 'block', 'modify', 'rephrase']

function subjectOf(input: CheckInput, isLast: boolean): JsonObject {
  if (input.phase === 'after') {
    const messages = [{ role: 'user', content: input.request.text }]
    return { messages, validation_target: 'response', response: input.text }
  }
  const messages = isLast ? [{ role: 'user', content: input.lastText }] : input.parts.map(messageOf)
  return { messages, validation_target: 'prompt' }
}

/** The roles of other endpoints are a user's to the vendor; those of chats that it does not know, `other`. */
const roles: Readonly<Record<string, string>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  prompt: 'user',
  input: 'user',
  query: 'user',
}

const messageOf = ({ role, text }: TextPart) => ({ role: roles[role] ?? 'other', content: text })

/** As many policies are named. */
const maxReported = 50

/** Which policies took part; what they say of the text may quote it. */
function policiesOf(executed: Json | undefined): Json[] {
  const log = isObject(executed) ? executed.policy_log : null
  return (Array.isArray(log) ? log : [])
    .filter(isObject)
    .slice(0, maxReported)
    .map(({ policy_id, policy_type }) => ({
      policy_id: typeof policy_id === 'string' ? policy_id : null,
      policy_type: typeof policy_type === 'string' ? policy_type : null,
    }))
}
