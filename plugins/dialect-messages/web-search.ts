/**
 * The tool `web_search_…` → `web_search_options` of the chat format, for providers whose models search the web. Agents
 * offer this tool with every request, so a search that the provider does not support is left out if there are other
 * tools.
 * Reference: https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
 */
import { isObject, type JsonObject, type WebSearch } from '@gateway/contract'

export const isWebSearch = ({ type }: JsonObject): boolean =>
  typeof type === 'string' && /^web_search_\d/.test(type)

const places = ['city', 'country', 'region', 'timezone']

/**
 * The chat request's `web_search_options`; null if the provider does not support the search's options. The number of
 * searches cannot be limited.
 * @param isAlone whether no other tool is offered
 */
export function searchOptions(
  tool: JsonObject,
  isAlone: boolean,
  support: WebSearch | null,
): JsonObject | null {
  if (support === null || !(isAlone || support.besideTools)) return null
  const { allowed_domains: allowed, blocked_domains: blocked, user_location: location } = tool
  const isLimited = Array.isArray(allowed) && allowed.length > 0
  if ((Array.isArray(blocked) && blocked.length > 0) || (isLimited && !support.allowedDomains)) return null
  const known = isObject(location)
    ? Object.entries(location).filter(([name, value]) => places.includes(name) && typeof value === 'string')
    : []
  return {
    ...(known.length === 0
      ? {}
      : { user_location: { type: 'approximate', approximate: Object.fromEntries(known) } }),
    ...(isLimited ? { filters: { allowed_domains: allowed } } : {}),
  }
}
