/** A row of the tables that say what becomes of a tool at a provider of another format. */
import type { JsonObject } from '../json.ts'

export interface ToolRow {
  /** For the documentation; Markdown. */
  name: string
  matches(tool: JsonObject): boolean
  /** Who runs it. */
  runs: 'client' | 'vendor'
  /**
   * `function`: a function, whose calls are returned in the caller's format. `search`: the provider's web search,
   * if it has one. `nothing`: it is left out, or refused if the request has no other purpose.
   */
  becomes: 'function' | 'search' | 'nothing'
  /** How its calls are returned, in Markdown; null if never. */
  calls: string | null
}

/** By the first row that matches. */
export const treatmentOf = (rows: readonly ToolRow[], tool: JsonObject): ToolRow['becomes'] =>
  rows.find(({ matches }) => matches(tool))?.becomes ?? 'nothing'
