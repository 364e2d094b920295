/** Paths, methods, parameters, bodies and answers of the management API, from the document that the build reads. */
import type { components, paths } from '../dist/api.d.ts'

type Path = keyof paths
type Method = 'get' | 'post' | 'put' | 'delete'

/** The paths that support a method. */
export type PathOf<M extends Method> = {
  [P in Path]: paths[P] extends { [K in M]: object } ? P : never
}[Path]

/** Maps a union of paths to a union of operations. */
type Operation<M extends Method, P extends Path> = P extends Path
  ? paths[P] extends { [K in M]: infer O }
    ? O
    : never
  : never

export type Answer<M extends Method, P extends Path> =
  Operation<M, P> extends infer O
    ? O extends { responses: { 200: { content: { 'application/json': infer A } } } }
      ? A
      : never
    : never

export type Body<M extends Method, P extends Path> =
  Operation<M, P> extends infer O
    ? O extends { requestBody?: { content: { 'application/json': infer B } } }
      ? B
      : never
    : never

/** The names of the members of all parts of a union. */
export type NameOf<T> = T extends unknown ? keyof T & string : never

type PathNames<P extends Path> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never
type NamesIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

type QueryNames<M extends Method, P extends Path> =
  Operation<M, P> extends infer O
    ? O extends { parameters: { query?: infer Q } }
      ? NameOf<Q>
      : never
    : never

export type QueryValue = string | number | null | undefined

/** The values for a path: its parameters and its query, whose values may come from the address bar. */
export type Filling<M extends Method, P extends Path> = {
  query?: { readonly [K in QueryNames<M, P>]?: QueryValue }
} & (PathNames<P> extends never ? { path?: never } : { path: { readonly [K in PathNames<P>]: unknown } })

/** The type of a list's items. */
export type Item<P extends PathOf<'get'>> =
  Answer<'get', P> extends infer A ? (A extends { data: (infer R)[] } ? R : never) : never

export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]
