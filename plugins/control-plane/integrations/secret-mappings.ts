/** Which fields of a credential a secret manager stores (management contract, section 11). */

import { type Fault, isObject, type Json, type JsonObject, type ProviderSummary } from '@gateway/contract'
import { kinds, type SecretMapping } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import type { Call } from '../engine/index.ts'
import { isCovered, knownMembers } from './data.ts'

const format = Type.Unsafe<'string' | 'json'>({ type: 'string', enum: ['string', 'json'] })

const members = {
  target_field: Type.String({ minLength: 1, maxLength: 255 }),
  secret_reference_id: Type.String({ minLength: 1 }),
}

/** The schema in a body. */
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

/** The schema in an answer. */
export const mappingsAnswer: TSchema = Type.Array(
  Type.Object(
    { ...members, secret_key: Type.Union([Type.String(), Type.Null()]), value_format: format },
    { additionalProperties: false },
  ),
)

/** Headers of every call; like the texts below, a member of every provider's credential. */
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
  /** The object with the credential: its workspaces must have access to the references. */
  integration: Parameters<typeof isCovered>[0]
  /** Whether there is a `key` in addition to the configurations. Default: true. */
  hasKey?: boolean
  /** The prefix of all fields but `key`: `configurations`, `model_config`. */
  prefix: string
  faults: Fault[]
}

/** Converts a body's validated mappings to their stored form. Errors at `/secret_mappings/I`. */
export async function readMappings(written: Json | undefined, rules: MappingRules): Promise<SecretMapping[]> {
  const given = (Array.isArray(written) ? written : []).filter(isObject)
  const seen = new Set<string>()
  const found = await Promise.all(
    given.map((entry, index) => readMapping(entry, `/secret_mappings/${index}`, rules)),
  )
  for (const [index, mapping] of found.entries()) {
    if (seen.has(mapping.target_field)) {
      fault(rules, `/secret_mappings/${index}/target_field`, 'is mapped twice: map each field once')
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
  if (reference === null) fault(rules, at, 'names a secret reference that does not exist')
  else if (
    !reference.data.allow_all_workspaces &&
    !isCovered(rules.integration, reference.data.allowed_workspaces)
  ) {
    fault(
      rules,
      at,
      'names a secret reference that is not available to every workspace that uses this credential',
    )
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

/** An object is parsed from JSON; a string is used as it is. */
function checkFormat({ target_field, value_format }: SecretMapping, at: string, rules: MappingRules): void {
  const name = target_field.replace('configurations.', '')
  const member = knownMembers(rules.provider)[name]
  const isStructured = name === headersMember || member?.type === 'object' || member?.type === 'array'
  if (isStructured && value_format !== 'json') {
    fault(rules, `${at}/value_format`, 'must be json because the field is an object')
  }
  if (!isStructured && value_format === 'json') {
    fault(rules, `${at}/value_format`, 'must be string because the field is a string')
  }
}
