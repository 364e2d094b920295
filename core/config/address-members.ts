/** Members of a stored credential's `configurations` that are addresses; the host guard decides which are allowed. */
import type { Fault, JsonObject } from '@gateway/contract'
import type { CompileContext } from '@gateway/flow'

export const addressMember = /_(?:host|url)$/

/** @param param of `configurations` */
export function hostFaults(
  configurations: JsonObject,
  param: string,
  checkUrl: CompileContext['checkUrl'],
): Fault[] {
  return Object.entries(configurations).flatMap(([name, value]) => {
    if (!addressMember.test(name) || typeof value !== 'string') return []
    const reason = URL.canParse(value) ? checkUrl(value) : null
    return reason === null ? [] : [{ param: `${param}/${name}`, code: 'host_not_allowed', message: reason }]
  })
}
