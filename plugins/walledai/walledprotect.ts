/**
 * `walledai.walledprotect`: Walled AI decides whether the texts are safe, and looks for personal data.
 * Reference: https://docs.walled.ai/ and https://github.com/walledai/walledai-python (README, "Response Shapes"):
 * `POST /v1/walled-protect` with `text` as a list of messages, the credential in `x-api-key`.
 * The vendor does not define the meaning of a greeting or of a topic of compliance_list, so both are only reported.
 * Errors: Error for a status that is not 2xx, for `success: false`, and for an answer without a requested result.
 */
import { type Check, isObject, type JsonObject, type TextPart } from '@gateway/contract'
import {
  type Filled,
  keyOf,
  nameOf,
  objectsIn,
  postForObject,
  scope,
  secret,
  textsOf,
  timeoutOf,
  unreadable,
  urlOf,
} from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendor = 'Walled AI'

const listOf = (values: readonly string[], description: string) =>
  Type.Optional(
    Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...values] }), {
      uniqueItems: true,
      default: [],
      description,
    }),
  )

const piiKinds = [
  "Person's Name",
  'Address',
  'Email Id',
  'Contact No',
  'Date Of Birth',
  'Unique Id',
  'Financial Data',
]

const parameters = Type.Object(
  {
    generic_safety_check: Type.Optional(
      Type.Boolean({ default: true, description: 'Fails on text that the vendor finds unsafe.' }),
    ),
    greetings_list: listOf(
      ['Casual & Friendly', 'Professional & Polite'],
      'Greetings to look for. They are reported and do not affect the verdict.',
    ),
    pii_list: listOf(piiKinds, 'Kinds of personal data that must not occur.'),
    compliance_list: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
        default: [],
        description: 'Topics to look for. Matches are reported and do not affect the verdict.',
      }),
    ),
    scope,
    timeout: timeoutOf(5000),
    apiKey: secret('Overrides plugins.settings.walledai.apiKey.'),
  },
  { additionalProperties: false },
)

type Defaulted =
  | 'generic_safety_check'
  | 'greetings_list'
  | 'pii_list'
  | 'compliance_list'
  | 'scope'
  | 'timeout'

export const walledprotect: Check<Filled<typeof parameters, Defaulted>> = {
  id: 'walledprotect',
  title: 'Walled AI protect',
  description:
    'Fails on unsafe text, and on personal data of pii_list. The texts and their roles are sent to the vendor.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ scope, timeout, apiKey, ...asked }, settings) {
    const key = keyOf('walledai', { key: 'apiKey', url: 'baseUrl' }, { parameters: { apiKey }, settings })
    const url = `${urlOf('baseUrl', {}, { settings, vendorUrl: 'https://services.walled.ai' })}/v1/walled-protect`
    if (!asked.generic_safety_check && asked.pii_list.length === 0)
      throw new Error('the check can never fail: enable generic_safety_check or list kinds in pii_list')
    return {
      async run(input, io) {
        const texts = textsOf(input, scope)
        if (texts.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        const answer = await postForObject(io, vendor, {
          url,
          headers: { 'x-api-key': key },
          json: { text: texts.map(messageOf), ...asked },
          timeoutMs: timeout,
        })
        if (answer.success === false || !isObject(answer.data)) return unreadable(vendor)
        const { safety, pii, compliance, greetings } = answer.data
        const unsafe = asked.generic_safety_check && rowsOf(safety).some(({ isSafe }) => isSafe !== true)
        const present = asked.pii_list.length === 0 ? [] : rowsOf(pii).filter(isPresent)
        return {
          verdict: !unsafe && present.length === 0,
          data: {
            safe: !unsafe,
            pii: present.map(({ pii_type }) => nameOfKind(pii_type)),
            topics: topicsOf(compliance, asked.compliance_list),
            greetings: objectsIn(greetings)
              .filter(isPresent)
              .map(({ greeting_type }) => nameOfKind(greeting_type)),
          },
        }
      },
    }
  },
}

/** The vendor knows two roles. */
const messageOf = ({ role, text }: TextPart): JsonObject => ({
  role: role === 'assistant' ? role : 'user',
  content: text,
})

/** Throws if a requested result is missing. */
function rowsOf(list: unknown): JsonObject[] {
  const rows = objectsIn(list)
  return rows.length === 0 ? unreadable(vendor) : rows
}

const isPresent = (row: JsonObject): boolean => row.isPresent === true

/** The vendor's names of kinds contain characters that the names in the parameters do not. */
const nameOfKind = (kind: unknown): string | null =>
  typeof kind === 'string' ? nameOf(kind.replaceAll(/['&]/g, '')) : null

/** The indices in compliance_list of the topics that the text is about. */
function topicsOf(compliance: unknown, asked: readonly string[]): number[] {
  return objectsIn(compliance).flatMap(({ topic, isOnTopic }) => {
    const index = typeof topic === 'string' ? asked.indexOf(topic) : -1
    return isOnTopic === true && index >= 0 ? [index] : []
  })
}
