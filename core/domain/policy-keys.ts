/**
 * The keys that conditions and groups of policies may use (management contract, section 15): the value that each is
 * compared with, its wildcards, and its targets. The limit engine matches with this table, and the management API
 * validates with it.
 */

import type { Fault } from '@gateway/contract'
import { endpointIds, serviceEndpoints } from '@gateway/contract'
import type { PolicyCondition, PolicyGroup } from './entities/index.ts'
import { guessOf } from './unknown-name.ts'

export type PolicyTarget = 'llm' | 'mcp_tools'

interface PolicyKey {
  /** `all`: `*` alone; `prefix`: also `*` at the end of a value. */
  wildcard: 'all' | 'prefix'
  targets: readonly PolicyTarget[]
  /** Whether its value is known only once a target is selected. */
  ofTarget: boolean
}

const row = (
  wildcard: PolicyKey['wildcard'],
  targets: readonly PolicyTarget[] = ['llm'],
  ofTarget = false,
): PolicyKey => ({ wildcard, targets, ofTarget })

const both: readonly PolicyTarget[] = ['llm', 'mcp_tools']

/** `metadata.NAME` is also allowed, for both targets. */
const policyKeys: Readonly<Record<string, PolicyKey>> = {
  api_key: row('all', both),
  organisation_id: row('all'),
  workspace_id: row('all', both),
  virtual_key: row('prefix', ['llm'], true),
  provider: row('prefix', ['llm'], true),
  model: row('prefix', ['llm'], true),
  config: row('prefix'),
  prompt: row('prefix'),
  endpoint_type: row('all'),
  mcp_server: row('prefix', ['mcp_tools']),
  mcp_tool: row('prefix', ['mcp_tools']),
}

export const metadataPrefix = 'metadata.'
const metadataKey = row('prefix', both)

/** The row of a key; null for an unknown key. */
export function policyKeyOf(key: string): PolicyKey | null {
  if (key.startsWith(metadataPrefix)) return key.length > metadataPrefix.length ? metadataKey : null
  return Object.hasOwn(policyKeys, key) ? (policyKeys[key] ?? null) : null
}

const policyEndpoints: readonly string[] = [...endpointIds, ...serviceEndpoints]

/** Resolves an alias of an endpoint. */
export const normalisePolicyEndpoint = (written: string): string =>
  written === 'uploadFile' ? 'createFile' : written

const valuesOf = (written: string | readonly string[] | undefined): readonly string[] =>
  written === undefined ? [] : typeof written === 'string' ? [written] : written

/** The errors of a policy's conditions and groups; paths as in its body, such as `/conditions/0/key`. */
export function policyFaults(
  { conditions, group_by }: { conditions: readonly PolicyCondition[]; group_by: readonly PolicyGroup[] },
  target: PolicyTarget,
): Fault[] {
  const faults: Fault[] = []
  const fault = (param: string, message: string) => faults.push({ param, code: 'invalid_body', message })
  for (const [index, condition] of conditions.entries()) {
    const at = `/conditions/${index}`
    const reason = reasonAgainst(condition.key, target)
    if (reason !== null) fault(`${at}/key`, reason)
    else for (const member of ['value', 'excludes'] as const) checkValues(condition, member, { at, fault })
  }
  const seen = new Set<string>()
  for (const [index, { key }] of group_by.entries()) {
    const reason = seen.has(key) ? 'stands twice' : reasonAgainst(key, target)
    if (reason !== null) fault(`/group_by/${index}/key`, reason)
    seen.add(key)
  }
  return faults
}

function reasonAgainst(key: string, target: PolicyTarget): string | null {
  const known = policyKeyOf(key)
  if (known === null) {
    const names = Object.keys(policyKeys)
    return `must be one of ${names.join(', ')}, or ${metadataPrefix}NAME${guessOf(key, names)}`
  }
  return known.targets.includes(target) ? null : `is not allowed in policies for ${target}`
}

function checkValues(
  condition: PolicyCondition,
  member: 'value' | 'excludes',
  { at, fault }: { at: string; fault: (param: string, message: string) => void },
): void {
  const written = condition[member]
  const isList = Array.isArray(written)
  for (const [index, value] of valuesOf(written).entries()) {
    const param = isList ? `${at}/${member}/${index}` : `${at}/${member}`
    const reason = reasonAgainstValue(condition.key, value)
    if (reason !== null) fault(param, reason)
  }
}

function reasonAgainstValue(key: string, value: string): string | null {
  if (value === '*') return null
  if (key === 'endpoint_type' && !policyEndpoints.includes(normalisePolicyEndpoint(value))) {
    return 'is not an endpoint id'
  }
  if (key === 'prompt' && value.includes('@'))
    return 'has a version: policies apply to all versions of a prompt'
  const star = value.indexOf('*')
  // Metadata is free text, so a * inside it is an ordinary character.
  if (star === -1 || key.startsWith(metadataPrefix)) return null
  if (policyKeyOf(key)?.wildcard === 'all') return 'allows only * as a wildcard'
  return star === value.length - 1 ? null : 'may have a * only at its end'
}
