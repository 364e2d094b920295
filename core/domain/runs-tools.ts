/**
 * Whether a request makes a party other than its caller run tools. Running such a request again would run them again.
 */
import { isObject, type JsonObject } from '@gateway/contract'

/** Tools that the caller runs; the provider or the gateway runs any other. */
const callersTools =
  /^(?:function|custom|bash_|text_editor_|computer|memory_|local_shell|shell|apply_patch|namespace)/

export function runsTools({ tools, web_search_options: search, mcp_servers: servers }: JsonObject): boolean {
  if (search !== undefined || (Array.isArray(servers) && servers.length > 0)) return true
  if (!Array.isArray(tools)) return false
  return tools.some(
    (tool) => isObject(tool) && typeof tool.type === 'string' && !callersTools.test(tool.type),
  )
}
