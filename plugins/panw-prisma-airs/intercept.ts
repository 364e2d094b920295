/**
 * `panw-prisma-airs.intercept`: Palo Alto Networks Prisma AIRS scans the prompt or the answer by a security profile.
 * Reference: `POST /v1/scan/sync/request`, https://pan.dev/prisma-airs/api/airuntimesecurity/scan-sync-request/ The
 * vendor scans only the last element of `contents`, so all texts are sent in one element. Texts that the profile
 * masks are reported (`masked`) and not replaced: the vendor masks them as one text.
 * Errors: Error for a status that is not 2xx, for an answer without an action, and for "allow" after a detection
 * service failed or timed out, because the text was then not scanned.
 */
import { type Check, type CheckInput, isObject, type JsonObject } from '@gateway/contract'
import {
  type Filled,
  keyOf,
  nameOf,
  postForObject,
  scope,
  secret,
  textsOf,
  timeoutOf,
  unreadable,
  urlOf,
} from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendor = 'Prisma AIRS'
const vendorUrl = 'https://service.api.aisecurity.paloaltonetworks.com'

const name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 256, description }))

const parameters = Type.Object(
  {
    profile_name: name('The security profile. Without it and profile_id: the one that is linked to the key.'),
    profile_id: name('The security profile by its id.'),
    ai_model: name('The model, for the vendor’s reports. Absent: not sent.'),
    app_user: name('The end user, for the vendor’s reports. Absent: not sent.'),
    app_name: name('The application, for the vendor’s reports. Absent: not sent.'),
    scope,
    timeout: timeoutOf(5000),
    AIRS_API_KEY: secret('Overrides plugins.settings.panw-prisma-airs.AIRS_API_KEY.'),
  },
  { additionalProperties: false },
)

export const intercept: Check<Filled<typeof parameters, 'scope' | 'timeout'>> = {
  id: 'intercept',
  title: 'Prisma AIRS intercept',
  description: 'Fails when the profile’s action is block. The texts are sent to the vendor as one text.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ scope, timeout, ...given }, settings) {
    const key = keyOf(
      'panw-prisma-airs',
      { key: 'AIRS_API_KEY', url: 'baseUrl' },
      { parameters: given, settings },
    )
    const url = `${urlOf('baseUrl', {}, { settings, vendorUrl })}/v1/scan/sync/request`
    const { profile_name, profile_id, ai_model, app_user, app_name } = given
    const fixed = {
      ai_profile: filled({ profile_name, profile_id }),
      metadata: filled({ ai_model, app_user, app_name }),
    }
    return {
      async run(input, io) {
        const text = textsOf(input, scope)
          .map((part) => part.text)
          .join('\n')
        if (text === '') return { verdict: true, data: { skipped: 'no text' } }
        const contents = [input.phase === 'before' ? { prompt: text } : { response: text }]
        const headers = { 'x-pan-token': key }
        const json = { ...fixed, contents }
        const answer = await postForObject(io, vendor, { url, headers, json, timeoutMs: timeout })
        return { verdict: passes(answer), data: dataOf(answer, input) }
      },
    }
  },
}

/** The members that are present; undefined if none are. */
function filled(members: Record<string, string | undefined>): JsonObject | undefined {
  const there = Object.entries(members).filter(([, value]) => value !== undefined)
  return there.length === 0 ? undefined : Object.fromEntries(there)
}

function passes({ action, timeout, error }: JsonObject): boolean {
  if (action === 'block') return false
  if (action !== 'allow') return unreadable(vendor)
  if (timeout === true || error === true) throw new Error(`${vendor} could not scan the whole text`)
  return true
}

/** The detections, by the vendor's names; its ids lead to the report. */
function dataOf(answer: JsonObject, { phase }: CheckInput): JsonObject {
  const side = phase === 'before' ? 'prompt' : 'response'
  const flags = answer[`${side}_detected`]
  const detected = Object.entries(isObject(flags) ? flags : {}).flatMap(([kind, found]) =>
    found === true ? [nameOf(kind)] : [],
  )
  return {
    category: nameOf(answer.category),
    detected,
    masked: isObject(answer[`${side}_masked_data`]),
    profile: nameOf(answer.profile_name),
    scan_id: nameOf(answer.scan_id),
    report_id: nameOf(answer.report_id),
  }
}
