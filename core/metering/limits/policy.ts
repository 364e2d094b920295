/**
 * Policies: limits for requests that match their conditions, counted separately for each value of their groups
 * (management contract, section 15). Conditions are compiled once and compared with a {@link PolicySubject}.
 */

import { hash } from 'node:crypto'
import { ownMember } from '@gateway/contract'
import {
  groupCounterKey,
  metadataPrefix,
  normalisePolicyEndpoint,
  type PolicyCondition,
  type PolicyGroup,
  policyKeyOf,
} from '@gateway/domain'
import type { CompiledLimit, Policy, PolicySubject, PolicyTargetSubject } from '@gateway/flow'

export interface PolicySource {
  conditions: readonly PolicyCondition[]
  group_by: readonly PolicyGroup[]
}

/** The aliases of a value; the first is used in value keys. Empty if the request has no such value. */
type Reader = (subject: PolicySubject, value: string) => readonly (string | null)[]

/** @param workspaceId of the policy */
export function compilePolicy(
  source: PolicySource,
  limit: CompiledLimit,
  workspaceId: string | null,
): Policy {
  const conditions = source.conditions.map(compileCondition)
  const groups = source.group_by.map(({ key }) => compileGroup(key))
  const keys = [...source.conditions, ...source.group_by].map(({ key }) => key)
  return {
    limit,
    workspaceId,
    ofTarget: keys.some((key) => policyKeyOf(key)?.ofTarget === true),
    needs: source.conditions.map(exactValues).find((needs) => needs !== null) ?? null,
    match(subject) {
      for (const holds of conditions) if (!holds(subject)) return null
      const values: string[] = []
      for (const group of groups) {
        const value = group(subject)
        if (value === null) return null
        values.push(value)
      }
      return values.join('-')
    },
    mismatch(subject) {
      const failed = conditions.findIndex((holds) => !holds(subject))
      if (failed !== -1) return keys[failed] ?? null
      const missing = groups.findIndex((group) => group(subject) === null)
      return missing === -1 ? null : (keys[conditions.length + missing] ?? null)
    },
  }
}

const listOf = (values: string | readonly string[] | undefined): readonly string[] =>
  values === undefined ? [] : typeof values === 'string' ? [values] : values

function compileCondition({ key, value, excludes }: PolicyCondition): (subject: PolicySubject) => boolean {
  const read = readerOf(key)
  const wanted = listOf(value).map((text) => compileValue(key, text, read))
  const unwanted = listOf(excludes).map((text) => compileValue(key, text, read))
  return (subject) => wanted.some((holds) => holds(subject)) && !unwanted.some((holds) => holds(subject))
}

const isPrefix = (key: string, value: string) =>
  value.endsWith('*') && policyKeyOf(key)?.wildcard === 'prefix'

const comparedValue = (key: string, written: string) =>
  key === 'endpoint_type' ? normalisePolicyEndpoint(written) : written

/** The values of a condition without wildcards. */
function exactValues({ key, value }: PolicyCondition): Policy['needs'] {
  const values = listOf(value).map((written) => comparedValue(key, written))
  return values.some((each) => each === '*' || isPrefix(key, each)) ? null : { key, values }
}

/** All values that a request has for a key, including aliases that a condition can use. */
export function policyNames(subject: PolicySubject, key: string): readonly (string | null)[] {
  const read = readerOf(key)
  return [...read(subject, ''), ...read(subject, '@')]
}

function compileValue(key: string, written: string, read: Reader): (subject: PolicySubject) => boolean {
  const value = comparedValue(key, written)
  const names = (subject: PolicySubject) => read(subject, value)
  if (value === '*') return (subject) => names(subject).some((name) => name !== null)
  if (isPrefix(key, value)) {
    const prefix = value.slice(0, -1)
    return (subject) => names(subject).some((name) => name?.startsWith(prefix) === true)
  }
  return (subject) => names(subject).includes(value)
}

function compileGroup(key: string): (subject: PolicySubject) => string | null {
  const read = readerOf(key)
  return (subject) => {
    const value = read(subject, '@').find((name) => name !== null) ?? null
    return value === null ? null : `${key}:${value}`
  }
}

/** The value of a key. Unknown keys have none, so their conditions never match. */
function readerOf(key: string): Reader {
  if (key.startsWith(metadataPrefix)) {
    const name = key.slice(metadataPrefix.length)
    return ({ metadata }) => (Object.hasOwn(metadata, name) ? [metadata[name] ?? null] : [])
  }
  return ownMember(readers, key) ?? (() => [])
}

const readers: Readonly<Record<string, Reader>> = {
  api_key: ({ keyId }) => [keyId],
  organisation_id: ({ organisationId, organisationSlug }) => [organisationId, organisationSlug],
  workspace_id: ({ workspaceId, workspaceSlug }) => [workspaceId, workspaceSlug],
  virtual_key: ({ target }) => [target?.slug ?? null],
  provider: ({ target }) => (target === null ? [] : [target.slug, target.provider]),
  model: ({ target }, value) => (target === null ? [] : [modelName(target, value)]),
  config: ({ config }) => (config === null ? [] : [config.slug, config.id]),
  prompt: ({ prompt }) => (prompt === null ? [] : [prompt.slug, prompt.id]),
  endpoint_type: ({ endpoint }) => [endpoint],
  mcp_server: ({ tool }) => [tool?.server ?? null],
  mcp_tool: ({ tool }) => [tool?.name ?? null],
}

/**
 * The model's name to compare with a value: with its slug if the value has a slug. A caller's own credential has no
 * slug.
 */
function modelName({ slug, model }: PolicyTargetSubject, value: string): string | null {
  if (model === null) return null
  if (value === '*' || !value.includes('@')) return model
  return slug === null ? (value === '@' ? model : null) : `@${slug}/${model}`
}

const longestValueKey = 512

/** The counter key of a group. Long metadata values are hashed. */
export function policyCounterKey(key: string, valueKey: string): string {
  if (valueKey.length <= longestValueKey) return groupCounterKey(key, valueKey)
  const short = valueKey.slice(0, longestValueKey - 80)
  return groupCounterKey(key, `${short}…${hash('sha256', valueKey, 'hex')}`)
}
