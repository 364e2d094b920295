/**
 * Rules of the config file that a schema cannot express: invalid addresses, duplicate keys, settings without effect.
 */
import { parseTrustedHost } from '@gateway/domain'
import type { RuleFault } from './fault.ts'
import { checkLimits } from './limit-rules.ts'
import { checkPrompts } from './prompts.ts'
import type { DeclaredFile } from './schema.ts'
import { utcTime } from './time.ts'

export type { RuleFault } from './fault.ts'

/** Finds errors in a file that has passed its schema. */
export function checkFile(file: DeclaredFile): RuleFault[] {
  const faults: RuleFault[] = []
  checkRanges(file.security?.trusted_hosts ?? [], '/security/trusted_hosts', faults)
  checkRanges(file.server?.trusted_proxies ?? [], '/server/trusted_proxies', faults)
  const seen = new Map<string, number>()
  for (const [index, key] of (file.api_keys ?? []).entries()) {
    checkRanges(key.allowed_ips ?? [], `/api_keys/${index}/allowed_ips`, faults)
    if (key.expires_at !== undefined && utcTime(key.expires_at) === null) {
      const message = 'must be an existing date'
      faults.push({ param: `/api_keys/${index}/expires_at`, code: 'invalid_file', message })
    }
    const first = seen.get(key.key_hash)
    seen.set(key.key_hash, first ?? index)
    if (first === undefined) continue
    const message = `is also the hash of /api_keys/${first}: each key can be listed only once`
    faults.push({ param: `/api_keys/${index}/key_hash`, code: 'invalid_file', message })
  }
  return [...faults, ...checkLimits(file), ...checkServerSlugs(file), ...checkPrompts(file)]
}

/** Server slugs are shorter than others because they are part of the URLs that clients use. */
function checkServerSlugs(file: DeclaredFile): RuleFault[] {
  return (['mcp_servers', 'agent_servers'] as const).flatMap((section) =>
    Object.keys(file[section] ?? {})
      .filter((slug) => slug.length < 3 || slug.length > 50)
      .map((slug) => ({
        param: `/${section}/${slug}`,
        code: 'invalid_file' as const,
        message: 'must have a key of 3 to 50 characters',
      })),
  )
}

function checkRanges(entries: readonly string[], param: string, faults: RuleFault[]): void {
  for (const [index, entry] of entries.entries()) {
    try {
      parseTrustedHost(entry)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const message = 'must be an IP address or a range such as 10.1.0.0/16'
      faults.push({ param: `${param}/${index}`, code: 'invalid_file', message })
    }
  }
}

/** Likely omissions, reported as warnings; the gateway still starts. */
export function checkOmissions(file: DeclaredFile): RuleFault[] {
  const omissions: [isOmitted: boolean, param: string, message: string][] = [
    [Object.values(file).every(isEmpty), '', declaresNothing],
    [file.email !== undefined && file.public_url === undefined, '/email', needsPublicUrl],
  ]
  return omissions.flatMap(([isOmitted, param, message]) =>
    isOmitted ? [{ param, code: 'incomplete', message }] : [],
  )
}

const isEmpty = (section: unknown) =>
  typeof section === 'object' && section !== null && Object.keys(section).length === 0

const declaresNothing =
  'declares nothing: no provider is configured. Add one under `providers`, or write an example file with ' +
  '"gateway init FILE"'
const needsPublicUrl = 'links in mail use the address that the gateway listens on: set public_url'
