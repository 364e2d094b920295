/** Collects the values of a query: its text contains typed placeholders, and the server binds their values. */

/** Sent by the client as `param_…`. */
export type Parameters = Record<string, unknown>

export interface Bound {
  /** The placeholder of a value. @param type of ClickHouse, such as `Array(String)` */
  value(type: string, value: unknown): string
  parameters: Parameters
}

export function createBound(): Bound {
  const parameters: Parameters = {}
  let count = 0
  return {
    parameters,
    value(type, value) {
      const name = `p${count}`
      count += 1
      parameters[name] = value
      return `{${name}:${type}}`
    },
  }
}
