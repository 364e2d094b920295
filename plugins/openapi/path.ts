/**
 * Paths of routes (`/v1/things/:id`, `/v1/proxy/*rest`, `/v1beta/models/*model\\:count`) as templates of the document
 * (`/v1/things/{id}`, `/v1beta/models/{model}:count`).
 */

/** A backslash escapes the next character, which then begins no parameter. */
const parameter = /\\(.)|[:*]([A-Za-z_][A-Za-z0-9_]*)/g

export const templateOf = (path: string): string =>
  path.replace(parameter, (_, escaped?: string, name?: string) => escaped ?? `{${name}}`)

export interface PathParameter {
  name: string
  /** Whether it matches the rest of the path, including slashes. */
  isRest: boolean
}

export const parametersOf = (path: string): PathParameter[] =>
  [...path.matchAll(parameter)].flatMap(([written, , name]) =>
    name === undefined ? [] : [{ name, isRest: written.startsWith('*') }],
  )
