/** `allowed_ips` of API keys and organisations: addresses and networks from which calls are accepted. */
import type { Json } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import type { Call } from '../engine/index.ts'

export const allowedIpsSchema = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 200,
  description:
    'Addresses and networks from which calls are accepted: 203.0.113.7, 10.1.0.0/16, 2001:db8::/32. Null or an empty list: any address. Calls from other addresses get a 403.',
})

interface ReadAllowedIpsOptions {
  param: string
  fault: (param: string, message: string) => void
}

/** Returns the list as it is stored (null for none), and records entries that are neither an address nor a network. */
export function readAllowedIps(
  { context }: Pick<Call<'isAddressRange'>, 'context'>,
  written: Json | undefined,
  { param, fault }: ReadAllowedIpsOptions,
): string[] | null {
  if (!Array.isArray(written) || written.length === 0) return null
  const entries = written.map(String)
  for (const [index, entry] of entries.entries()) {
    if (context.isAddressRange(entry)) continue
    fault(`${param}/${index}`, 'must be an IP address or a network such as 10.1.0.0/16')
  }
  return entries
}
