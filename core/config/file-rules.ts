/** What a schema cannot say of a config file: addresses that are none, keys that stand twice, what nothing serves. */
import { parseTrustedHost } from '../upstream/trusted-hosts.ts'
import type { FileFaultCode } from './file-fault.ts'
import type { DeclaredFile } from './file-schema.ts'
import { utcTime } from './file-time.ts'

/** A fault that has no line yet. */
export interface RuleFault {
  param: string
  code: FileFaultCode
  message: string
}

/** Faults of a file that has passed its schema. */
export function checkFile(file: DeclaredFile): RuleFault[] {
  const faults: RuleFault[] = []
  for (const [index, host] of (file.security?.trusted_hosts ?? []).entries()) {
    try {
      parseTrustedHost(host)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const message = 'must be an IP address or a range such as 10.1.0.0/16'
      faults.push({ param: `/security/trusted_hosts/${index}`, code: 'invalid_file', message })
    }
  }
  const seen = new Map<string, number>()
  for (const [index, key] of (file.api_keys ?? []).entries()) {
    if (key.expires_at !== undefined && utcTime(key.expires_at) === null) {
      const message = 'must be a day that there is'
      faults.push({ param: `/api_keys/${index}/expires_at`, code: 'invalid_file', message })
    }
    const first = seen.get(key.key_hash)
    seen.set(key.key_hash, first ?? index)
    if (first === undefined) continue
    const message = `is also the hash of /api_keys/${first}: a key can stand only once`
    faults.push({ param: `/api_keys/${index}/key_hash`, code: 'invalid_file', message })
  }
  return faults
}

/** Paths of what would limit or guard, if anything enforced it. `*` stands for any key or index. */
const unenforced: readonly string[] = [
  '/providers/*/usage_limits',
  '/providers/*/rate_limits',
  '/providers/*/models/*/configurations',
  '/workspaces/*/usage_limits',
  '/workspaces/*/rate_limits',
  '/policies/rate_limits/*',
  '/policies/usage_limits/*',
  '/api_keys/*/usage_limits',
  '/api_keys/*/rate_limits',
]

/** Paths of what nothing serves; without it the gateway does less, but lets nothing through. */
const unserved: readonly string[] = [
  '/providers/*/models/*/is_finetune',
  '/providers/*/models/*/base_model_slug',
  '/providers/*/models/*/pricing_config',
  '/providers/*/models/*/pricing_adjustments',
  '/store/url',
  '/prompts/*',
  '/email',
  '/files/*',
  '/batches/*',
  '/telemetry/*',
  '/public_url',
  '/mcp_servers/*',
  '/agent_servers/*',
  '/logs/bodies',
  '/logs/retention_days',
  '/logs/metrics_retention_days',
  '/logs/audit_retention_days',
]

/**
 * What a file declares and this build does not do.
 * Faults are limits and guards, which must not pass in silence: they refuse the start. The rest are warnings.
 */
export function unservedKeys(declared: unknown): { faults: RuleFault[]; warnings: RuleFault[] } {
  return {
    faults: unenforced.flatMap((pattern) =>
      matches(declared, pattern.split('/').slice(1)).map((param) => ({
        param,
        code: 'not_enforced' as const,
        message: 'is not enforced by this build',
      })),
    ),
    warnings: unserved.flatMap((pattern) =>
      matches(declared, pattern.split('/').slice(1)).map((param) => ({
        param,
        code: 'not_served' as const,
        message: 'is not served by this build and has no effect',
      })),
    ),
  }
}

/** The paths in a value that a pattern reaches. */
function matches(value: unknown, pattern: readonly string[], path = ''): string[] {
  const [name, ...rest] = pattern
  if (name === undefined) return value === undefined || value === null ? [] : [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .filter(([key]) => name === '*' || key === name)
    .flatMap(([key, child]) =>
      matches(child, rest, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    )
}
