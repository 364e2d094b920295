/**
 * The translation of each tool type of the Responses format for a chat completions provider. The table in
 * `docs/guides/clients.md` is generated from this one.
 */
import { isObject } from '@gateway/contract'
import type { ToolRow } from '@gateway/contract/dialect'
import { clientToolOf, clientTools } from './client-tools.ts'

const isType =
  (...types: string[]): ToolRow['matches'] =>
  ({ type }) =>
    typeof type === 'string' && types.includes(type)

export const responsesTools: readonly ToolRow[] = [
  {
    name: '`function`, and those in a `namespace`',
    matches: isType('function'),
    runs: 'client',
    becomes: 'function',
    calls: '`function_call`',
  },
  {
    name: '`custom`, and those in a `namespace`',
    matches: isType('custom'),
    runs: 'client',
    becomes: 'function',
    calls: '`custom_tool_call`',
  },
  ...clientTools.map(
    ({ type, call, where }): ToolRow => ({
      name: `\`${type}\`${where === '' ? '' : ` ${where}`}`,
      matches: (tool) => clientToolOf(tool)?.type === type,
      runs: 'client',
      becomes: 'function',
      calls: `\`${call}\``,
    }),
  ),
  {
    name: '`web_search` and its versions',
    matches: ({ type }) => typeof type === 'string' && /^web_search(?:_|$)/.test(type),
    runs: 'vendor',
    becomes: 'search',
    calls: 'annotations of the text',
  },
  {
    name: '`computer`, `computer_use_preview`',
    matches: isType('computer', 'computer_use_preview'),
    runs: 'client',
    becomes: 'nothing',
    calls: null,
  },
  {
    name: 'tools of a type that the gateway does not know, with a `name` and `parameters`',
    matches: ({ name, parameters }) => typeof name === 'string' && isObject(parameters),
    runs: 'client',
    becomes: 'function',
    calls: '`function_call`',
  },
  {
    name: '`tool_search` that the vendor runs, `shell` in a container, `file_search`, `code_interpreter`, `image_generation`, `mcp`, `programmatic_tool_calling`, and every other type',
    matches: () => true,
    runs: 'vendor',
    becomes: 'nothing',
    calls: null,
  },
]
