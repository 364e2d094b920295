/**
 * The translation of each tool type of the Messages format for a chat completions provider. The table in
 * `docs/guides/clients.md` is generated from this one.
 */
import { isObject } from '@gateway/contract'
import type { ToolRow } from '@gateway/contract/dialect'
import { clientToolOf, clientTools } from './client-tools.ts'
import { isWebSearch } from './web-search.ts'

export const messagesTools: readonly ToolRow[] = [
  {
    name: 'tools with an `input_schema`',
    matches: ({ type, input_schema: schema }) =>
      typeof type !== 'string' || type === 'custom' || isObject(schema),
    runs: 'client',
    becomes: 'function',
    calls: '`tool_use`',
  },
  ...clientTools.map(
    ({ type }): ToolRow => ({
      name: `\`${type}_…\``,
      matches: (tool) => clientToolOf(tool)?.type === type,
      runs: 'client',
      becomes: 'function',
      calls: '`tool_use`',
    }),
  ),
  {
    name: '`computer_…`, `computer_toolset_…`, `browser_toolset_…`',
    matches: ({ type }) => typeof type === 'string' && /^(?:computer|browser)_/.test(type),
    runs: 'client',
    becomes: 'nothing',
    calls: null,
  },
  {
    name: '`web_search_…`',
    matches: isWebSearch,
    runs: 'vendor',
    becomes: 'search',
    calls: null,
  },
  {
    name: '`web_fetch_…`, `code_execution_…`, `tool_search_tool_…`, `advisor_…`, `mcp_toolset`, `mcp_servers`, and every other type',
    matches: () => true,
    runs: 'vendor',
    becomes: 'nothing',
    calls: null,
  },
]
