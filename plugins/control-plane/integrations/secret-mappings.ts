/** Which fields of a credential a secret manager keeps (management contract, section 11). */

import { type Fault, isObject, type Json, type JsonObject, type ProviderSummary } from '@gateway/contract'
import { kinds, type SecretMapping } from '@gateway/core/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import type { Call } from '../engine/index.ts'
import { isCovered, knownMembers } from './data.ts'

const format = Type.Unsafe<'string' | 'json'>({ type: 'string', enum: ['string', 'json'] })

const members = {
  target_field: Type.String({ minLength: 1, maxLength: 255 }),
  secret_reference_id: Type.String({ minLength: 1 }),
}

/** Of a body. */
export const mappingsInput: TSchema = Type.Array(
  Type.Object(
    {
      ...members,
      secret_key: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()])),
      value_format: Type.Optional(format),
    },
    { additionalProperties: false },
  ),
  { maxItems: 50 },
)

/** Of an answer. */
export const mappingsAnswer: TSchema = Type.Array(
  Type.Object(
    { ...members, secret_key: Type.Union([Type.String(), Type.Null()]), value_format: format },
    { additionalProperties: false },
  ),
)

/** Headers of every call; a member of every provider's credential, as the texts below are. */
const headersMember = 'custom_headers'

/** Members that every provider's credential may have. */
const commonMembers: ReadonlySet<string> = new Set([
  headersMember,
  ...['custom_host', 'compat_organization', 'compat_project'],
  ...['resource_name', 'deployment_id', 'api_version'],
])

export interface MappingRules {
  call: Call
  provider: Pick<ProviderSummary, 'name' | 'configurations'>
  /** What the credential belongs to: its workspaces must reach the references. */
  integration: Parameters<typeof isCovered>[0]
  /** Whether there is a `key` beside the configurations. Default true. */
  hasKey?: boolean
  /** How fields are named beside `key`: `configurations`, `model_config`. */
  prefix: string
  faults: Fault[]
}

/** What a body's mappings (which have passed their schema) are stored as; faults at `/secret_mappings/I`. */
export async function readMappings(written: Json | undefined, rules: MappingRules): Promise<SecretMapping[]> {
  const given = (Array.isArray(written) ? written : []).filter(isObject)
  const seen = new Set<string>()
  const found = await Promise.all(
    given.map((entry, index) => readMapping(entry, `/secret_mappings/${index}`, rules)),
  )
  for (const [index, mapping] of found.entries()) {
    if (seen.has(mapping.target_field)) {
      fault(rules, `/secret_mappings/${index}/target_field`, 'is mapped twice')
    }
    seen.add(mapping.target_field)
  }
  return found
}

const fault = ({ faults }: MappingRules, param: string, message: string) =>
  faults.push({ param, code: 'invalid_body', message })

async function readMapping(entry: JsonObject, at: string, rules: MappingRules): Promise<SecretMapping> {
  const { target_field, secret_reference_id, secret_key, value_format } = entry
  const mapping: SecretMapping = {
    target_field: readField(String(target_field), at, rules),
    secret_reference_id: String(secret_reference_id),
    secret_key: typeof secret_key === 'string' ? secret_key : null,
    value_format: value_format === 'json' ? 'json' : 'string',
  }
  checkFormat(mapping, at, rules)
  const reference = await rules.call.find(
    kinds.secretReference,
    mapping.secret_reference_id,
    rules.call.organisationId,
  )
  if (reference === null) fault(rules, at, 'names a secret reference that is not there')
  else if (
    !reference.data.allow_all_workspaces &&
    !isCovered(rules.integration, reference.data.allowed_workspaces)
  ) {
    fault(rules, at, 'names a secret reference that is not for every workspace which uses this credential')
  }
  return { ...mapping, secret_reference_id: reference?.id ?? mapping.secret_reference_id }
}

/** The field as it is stored: `key`, or `configurations.NAME`. */
function readField(written: string, at: string, rules: MappingRules): string {
  if (written === 'key' && rules.hasKey !== false) return written
  const [prefix, ...rest] = written.split('.')
  const name = rest.join('.')
  const isKnown = commonMembers.has(name) || Object.hasOwn(knownMembers(rules.provider), name)
  if ((prefix !== rules.prefix && prefix !== 'configurations') || !isKnown) {
    fault(
      rules,
      `${at}/target_field`,
      `is ${rules.hasKey === false ? 'no' : 'neither key nor a'} member of ${rules.prefix} that ${rules.provider.name} has`,
    )
  }
  return `configurations.${name}`
}

/** An object is read from JSON, a text as it is. */
function checkFormat({ target_field, value_format }: SecretMapping, at: string, rules: MappingRules): void {
  const name = target_field.replace('configurations.', '')
  const member = knownMembers(rules.provider)[name]
  const isStructured = name === headersMember || member?.type === 'object' || member?.type === 'array'
  if (isStructured && value_format !== 'json') {
    fault(rules, `${at}/value_format`, 'must be json for a field that is an object')
  }
  if (!isStructured && value_format === 'json') {
    fault(rules, `${at}/value_format`, 'must be string for a field that is a text')
  }
}
