/**
 * The translation of each kind of tool for a chat completions provider. A tool is a member of an object in `tools`. The
 * table in `docs/guides/clients.md` is generated from this one.
 */
import type { ToolRow } from '@gateway/contract/dialect'

const isOneOf =
  (...names: string[]): ToolRow['matches'] =>
  ({ member }) =>
    typeof member === 'string' && names.includes(member)

export const contentTools: readonly ToolRow[] = [
  {
    name: '`functionDeclarations`',
    matches: isOneOf('functionDeclarations'),
    runs: 'client',
    becomes: 'function',
    calls: '`functionCall`',
  },
  {
    name: '`googleSearch`, `googleSearchRetrieval`',
    matches: isOneOf('googleSearch', 'googleSearchRetrieval'),
    runs: 'vendor',
    becomes: 'search',
    calls: '`groundingMetadata` of the candidate',
  },
  {
    name: '`computerUse`',
    matches: isOneOf('computerUse'),
    runs: 'client',
    becomes: 'nothing',
    calls: null,
  },
  {
    name: '`urlContext`, `codeExecution`, `googleMaps`, `fileSearch`, `enterpriseWebSearch`, `retrieval`, `mcpServers`, and every member that the gateway does not know',
    matches: () => true,
    runs: 'vendor',
    becomes: 'nothing',
    calls: null,
  },
]
