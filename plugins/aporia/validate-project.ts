/**
 * `aporia.validateProject`: checks the prompt or the answer with the policies of an Aporia project.
 * Reference: https://gr-docs.aporia.com/fundamentals/integration/rest-api
 * The vendor requires the messages for an answer, too: policies such as relevance compare the two. Its revised text is
 * not used: it is one text, and the answer may have many.
 * Errors: Error for a status that is not 2xx, and for an answer without an action of the reference.
 */
import {
  type Check,
  type CheckInput,
  isObject,
  type Json,
  type JsonObject,
  type TextPart,
} from '@gateway/contract'
import {
  type Filled,
  keyOf,
  objectsIn,
  postForObject,
  scope,
  secret,
  textOrNull,
  timeoutOf,
  urlOf,
} from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendorUrl = 'https://gr-prd.aporia.com'

const parameters = Type.Object(
  {
    projectID: Type.String({
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'The id of the project whose policies judge.',
    }),
    timeout: timeoutOf(5000),
    scope,
    apiKey: secret('Overrides plugins.settings.aporia.apiKey.'),
  },
  { additionalProperties: false },
)

export const validateProject: Check<Filled<typeof parameters, 'timeout' | 'scope'>> = {
  id: 'validateProject',
  title: 'Aporia project',
  description:
    'Fails when the project’s policies block the text or would rewrite it. The texts and their roles go to the ' +
    'vendor; with an answer, the prompt as well.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ projectID, timeout, scope, apiKey }, settings) {
    const key = keyOf('aporia', { key: 'apiKey', url: 'baseUrl' }, { parameters: { apiKey }, settings })
    const base = urlOf('baseUrl', {}, { settings, vendorUrl })
    return {
      async run(input, io) {
        const looked = scope === 'last' ? input.lastText : input.text
        if (looked.trim() === '') return { verdict: true, data: { skipped: 'no text' } }
        const answer = await postForObject(io, 'Aporia', {
          url: `${base}/${projectID}/validate`,
          headers: { 'x-aporia-api-key': key },
          json: { ...subjectOf(input, scope === 'last'), explain: false },
          timeoutMs: timeout,
        })
        const { action } = answer
        if (!actions.includes(action)) throw new Error('the answer of Aporia has no action')
        return {
          verdict: action === 'passthrough',
          data: { action, policies: policiesOf(answer.policy_execution_result) },
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

/** Roles of other endpoints are sent as `user`; roles of chats that the vendor does not know, as `other`. */
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

/** The most policies that are reported. */
const maxReported = 50

/** The policies that took part. Their explanations are left out, because they may quote the text. */
function policiesOf(executed: Json | undefined): Json[] {
  return objectsIn(isObject(executed) ? executed.policy_log : undefined)
    .slice(0, maxReported)
    .map(({ policy_id, policy_type }) => ({
      policy_id: textOrNull(policy_id),
      policy_type: textOrNull(policy_type),
    }))
}
