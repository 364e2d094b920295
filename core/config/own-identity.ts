/**
 * Restricts where the gateway process's own cloud identity may be sent: to the vendor's own hosts and to trusted hosts.
 */
import {
  type Fault,
  GatewayError,
  type GuardrailPlugin,
  type JsonObject,
  type ProviderAdapter,
  type ProviderSettings,
} from '@gateway/contract'
import type { HostRules } from '@gateway/flow'

interface CheckOwnIdentityOptions {
  url: string
  hostRules: Pick<HostRules, 'isTrusted'>
}

/** The reason why calls with these settings may not go to this address; null if they may. */
export function checkOwnIdentity(
  { name, ownIdentity }: ProviderAdapter,
  settings: ProviderSettings,
  { url, hostRules: { isTrusted } }: CheckOwnIdentityOptions,
): string | null {
  if (ownIdentity === undefined || !ownIdentity.isLent(settings)) return null
  return reasonAgainst({ hosts: [ownIdentity.hosts], vendor: name, url, isTrusted })
}

interface StrangeAddressesOptions {
  context: Pick<HostRules, 'isTrusted'>
  prefix?: string
}

/** The addresses in a plugin's settings that the process's own identity may not be sent to; paths below `prefix`. */
export function strangeAddresses(
  { ownIdentity, title }: Pick<GuardrailPlugin, 'ownIdentity' | 'title'>,
  settings: Readonly<JsonObject>,
  { context: { isTrusted }, prefix = '' }: StrangeAddressesOptions,
): Fault[] {
  if (ownIdentity === undefined) return []
  return ownIdentity.addresses(settings).flatMap(({ param, url }): Fault[] => {
    const message = reasonAgainst({ hosts: [ownIdentity.hosts], vendor: title, url, isTrusted })
    return message === null ? [] : [{ param: prefix + param, code: 'host_not_allowed', message }]
  })
}

interface Destination extends Pick<HostRules, 'isTrusted'> {
  /** The vendor's hosts. */
  hosts: readonly RegExp[]
  vendor: string
  url: string
}

function reasonAgainst({ hosts, vendor, url, isTrusted }: Destination): string | null {
  const { protocol, port, hostname } = new URL(url)
  if (protocol === 'https:' && port === '' && hosts.some((names) => names.test(hostname))) return null
  if (isTrusted(url)) return null
  return `is neither a host of ${vendor} nor a trusted host: the gateway's own identity is sent only to these. Use a credential with its own secret, or list the host's address in security.trusted_hosts`
}

/** Throws `host_not_allowed` when a call to this URL would send the identity to a host other than the vendor's. */
export function requireOwnHost(
  { name, ownIdentity }: ProviderAdapter,
  settings: ProviderSettings,
  { url, io: { isTrusted } }: { url: string; io: Pick<HostRules, 'isTrusted'> },
): void {
  if (ownIdentity === undefined || !ownIdentity.isLent(settings)) return
  const { hosts, fileHosts } = ownIdentity
  const known = fileHosts === undefined ? [hosts] : [hosts, fileHosts]
  const reason = reasonAgainst({ hosts: known, vendor: name, url, isTrusted })
  if (reason !== null) throw new GatewayError('host_not_allowed', `The host ${reason}.`)
}
