/**
 * Whether a request makes a party other than its caller run tools. Running such a request again would run them again.
 */
import { isObject, type JsonObject } from '@gateway/contract'

/** Tools that the caller runs; the provider or the gateway runs any other. */
const callersTools =
  /^(?:function|custom|bash_|text_editor_|computer|memory_|local_shell|shell|apply_patch|namespace)/
/** Those of the Gemini format. */
const contentTools: ReadonlySet<string> = new Set(['functionDeclarations', 'computerUse'])

export function runsTools({
  tools,
  web_search_options: search,
  mcp_servers: servers,
  ...body
}: JsonObject): boolean {
  if (isObject(search) || (Array.isArray(servers) && servers.length > 0)) return true
  const offered = Array.isArray(tools) ? tools.filter(isObject) : []
  if (Array.isArray(body.contents)) return offered.some(runsContentTools)
  return offered.some(({ type }) => typeof type === 'string' && !callersTools.test(type))
}

/** A tool of the Gemini format: each of its members is one. */
const runsContentTools = (tool: JsonObject): boolean =>
  Object.entries(tool).some(([name, value]) => value != null && !contentTools.has(name))
