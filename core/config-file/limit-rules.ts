/**
 * Rules for limits and policies in a config file that a schema cannot express (management contract, sections 4 and 15).
 */
import { type PolicyCondition, policyFaults, type RateLimit, type UsageLimit } from '@gateway/domain'
import { listOf } from './documents.ts'
import type { RuleFault } from './fault.ts'
import type { DeclaredFile } from './schema.ts'
import { utcTime } from './time.ts'

type Owner = { usage_limits?: unknown; rate_limits?: unknown }
type Report = (param: string, message: string, code?: RuleFault['code']) => void

/** Finds errors in a file that has passed its schema. */
export function checkLimits(file: DeclaredFile): RuleFault[] {
  const faults: RuleFault[] = []
  const report: Report = (param, message, code = 'invalid_file') => faults.push({ param, code, message })
  for (const [index, key] of (file.api_keys ?? []).entries()) checkOwner(key, `/api_keys/${index}`, report)
  for (const section of ['providers', 'workspaces'] as const)
    for (const [slug, owner] of Object.entries(file[section] ?? {}))
      checkOwner(owner, `/${section}/${slug}`, report)
  checkPolicies(file, report)
  return faults
}

function checkOwner({ usage_limits, rate_limits }: Owner, at: string, report: Report): void {
  const pathsOf = (written: unknown, name: string) => (index: number) =>
    Array.isArray(written) ? `${at}/${name}/${index}` : `${at}/${name}`
  checkEach<Partial<UsageLimit>>(
    usage_limits,
    pathsOf(usage_limits, 'usage_limits'),
    (limit, param, isTaken) => {
      if (isTaken(limit.type ?? 'cost')) report(param, `is another limit of the type ${limit.type ?? 'cost'}`)
      checkUsageLimit(limit, param, report)
    },
  )
  checkEach<RateLimit>(rate_limits, pathsOf(rate_limits, 'rate_limits'), ({ type, unit }, param, isTaken) => {
    if (isTaken(`${type} ${unit}`)) report(param, `is another limit of ${type} by ${unit}`)
  })
}

function checkEach<Item>(
  written: unknown,
  paramOf: (index: number) => string,
  check: (item: Item, param: string, isTaken: (name: string) => boolean) => void,
): void {
  const taken = new Set<string>()
  for (const [index, item] of listOf<Item>(written).entries()) {
    check(item, paramOf(index), (name) => {
      const isTaken = taken.has(name)
      taken.add(name)
      return isTaken
    })
  }
}

function checkUsageLimit(limit: Partial<UsageLimit>, at: string, report: Report): void {
  const { type = 'cost', credit_limit = 0, alert_threshold, periodic_reset, periodic_reset_days } = limit
  if (type !== 'cost' && !Number.isSafeInteger(credit_limit))
    report(`${at}/credit_limit`, `must be a whole number for the type ${type}`)
  if (typeof alert_threshold === 'number' && alert_threshold >= credit_limit)
    report(`${at}/alert_threshold`, 'must be below credit_limit')
  if (periodic_reset !== undefined && periodic_reset_days !== undefined)
    report(`${at}/periodic_reset_days`, 'cannot be combined with periodic_reset')
  const { next_usage_reset_at: next } = limit
  if (typeof next === 'string' && utcTime(next) === null)
    report(`${at}/next_usage_reset_at`, 'must be an ISO 8601 time')
}

function checkPolicies({ policies = {} }: DeclaredFile, report: Report): void {
  for (const [index, policy] of (policies.rate_limits ?? []).entries()) {
    const at = `/policies/rate_limits/${index}`
    const { target = 'llm' } = policy
    checkTerms(policy, target, { at, report })
    // Not enforced yet, because no tools are called.
    if (target !== 'llm') report(`${at}/target`, 'is not enforced by this build', 'not_enforced')
  }
  for (const [index, policy] of (policies.usage_limits ?? []).entries()) {
    const at = `/policies/usage_limits/${index}`
    checkTerms(policy, 'llm', { at, report })
    checkUsageLimit(policy as Partial<UsageLimit>, at, report)
  }
}

function checkTerms(
  { conditions, group_by }: { conditions: unknown[]; group_by: { key: string }[] },
  target: 'llm' | 'mcp_tools',
  { at, report }: { at: string; report: Report },
): void {
  // The value has passed the file's schema.
  const terms = { conditions: conditions as PolicyCondition[], group_by }
  for (const { param, message } of policyFaults(terms, target)) report(at + param, message)
}
