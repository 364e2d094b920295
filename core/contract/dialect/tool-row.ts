/** A row of the tables that define how a tool is translated for a provider of another format. */
import type { JsonObject } from '../json.ts'

export interface ToolRow {
  /** A description for the documentation; Markdown. */
  name: string
  matches(tool: JsonObject): boolean
  /** The party that runs the tool. */
  runs: 'client' | 'vendor'
  /**
   * `function`: a function, whose calls are returned in the caller's format. `search`: the provider's web search,
   * if it has one. `nothing`: it is left out, or refused if the request has no other purpose.
   */
  becomes: 'function' | 'search' | 'nothing'
  /** How its calls are returned, in Markdown; null if it is never called. */
  calls: string | null
}

/** The treatment of a tool: that of the first row that matches. */
export const treatmentOf = (rows: readonly ToolRow[], tool: JsonObject): ToolRow['becomes'] =>
  rows.find(({ matches }) => matches(tool))?.becomes ?? 'nothing'
