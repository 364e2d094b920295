/**
 * The tool `web_search` → `web_search_options` of the chat format, for providers whose models search the web. Agents
 * offer this tool with every request. If the provider does not support the search's options, the search is dropped if
 * there are other tools, and the model answers without it; a request with only a search is refused. The sources are
 * returned as annotations of the answer.
 * References: https://www.openresponses.org/reference, https://developers.openai.com/api/docs/guides/tools-web-search
 */
import { type GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'
import type { DialectContext } from '@gateway/contract/dialect'
import type { OfferedTool } from './offered-tools.ts'
import { refuse } from './refuse.ts'

/** Whether a tool is a web search, including its dated and preview versions. */
export const isWebSearch = (tool: Json | undefined): tool is JsonObject =>
  isObject(tool) && typeof tool.type === 'string' && /^web_search(?:_|$)/.test(tool.type)

export interface ReadSearch {
  /** The chat request's `web_search_options`; null without a search, and if the search is left out. */
  options: JsonObject | null
  /** The paths of searches that are left out. */
  leftOut: readonly string[]
  /** Errors that explain why. A request that offers nothing else is refused with them. */
  faults: readonly GatewayError[]
}

/**
 * @param offered all tools of the request
 * @param isAlone whether no other tool can be offered
 */
export function readWebSearch(
  offered: readonly OfferedTool[],
  isAlone: boolean,
  context: DialectContext,
): ReadSearch {
  const [first] = offered.filter(({ tool }) => isWebSearch(tool))
  if (first === undefined || !isWebSearch(first.tool)) return { options: null, leftOut: [], faults: [] }
  const { tool, path } = first
  const fault = faultOf(tool, isAlone, context)
  if (fault === null) return { options: optionsOf(tool), leftOut: [], faults: [] }
  const error = refuse(context, `${path}/${fault.member}`, fault.message)
  return { options: null, leftOut: [path], faults: [error] }
}

interface Fault {
  member: string
  message: string
}

/** Why the provider does not support the search's options; null if it does. */
function faultOf(tool: JsonObject, isAlone: boolean, { webSearch }: DialectContext): Fault | null {
  if (webSearch === null || !(isAlone || webSearch.besideTools)) {
    const message = `tools of type ${String(tool.type)} are not supported by this provider`
    return { member: 'type', message }
  }
  if (tool.external_web_access === false)
    return { member: 'external_web_access', message: 'the provider searches the live web only' }
  if (!isObject(tool.filters) || Object.keys(tool.filters).length === 0) return null
  const isKnown = Object.keys(tool.filters).every((name) => name === 'allowed_domains')
  return webSearch.allowedDomains && isKnown
    ? null
    : { member: 'filters', message: 'the domains of a search cannot be limited like this' }
}

const places = ['city', 'country', 'region', 'timezone']

function optionsOf({ search_context_size: size, user_location: location, filters }: JsonObject): JsonObject {
  const known = isObject(location)
    ? Object.entries(location).filter(([name, value]) => places.includes(name) && typeof value === 'string')
    : []
  return {
    ...(typeof size === 'string' ? { search_context_size: size } : {}),
    ...(known.length === 0
      ? {}
      : { user_location: { type: 'approximate', approximate: Object.fromEntries(known) } }),
    ...(isObject(filters) && Array.isArray(filters.allowed_domains) && filters.allowed_domains.length > 0
      ? { filters: { allowed_domains: filters.allowed_domains } }
      : {}),
  }
}
