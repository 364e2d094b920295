/** Paths of routes (`/v1/things/:id`, `/v1/proxy/*rest`) as templates of the document (`/v1/things/{id}`). */

const parameter = /[:*]([A-Za-z_][A-Za-z0-9_]*)/g

export const templateOf = (path: string): string => path.replace(parameter, '{$1}')

export interface PathParameter {
  name: string
  /** Whether it matches the rest of the path, including slashes. */
  isRest: boolean
}

export const parametersOf = (path: string): PathParameter[] =>
  [...path.matchAll(parameter)].map(([written, name = '']) => ({ name, isRest: written.startsWith('*') }))
