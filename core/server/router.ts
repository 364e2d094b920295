/**
 * Finds what serves a method and a path. Paths without parameters are found in a map; the others are tried in the order
 * in which they were declared. One trailing slash is ignored, paths are case-sensitive, and HEAD comes with GET.
 * The syntax of paths: https://github.com/pillarjs/path-to-regexp
 */
import { pathToRegexp } from 'path-to-regexp'

export interface RouterEntry<Target> {
  method: string
  path: string
  target: Target
}

interface Found<Target> {
  target: Target
  /** Decoded. */
  params: Readonly<Record<string, string>>
}

export interface Router<Target> {
  /** Null for an unknown path, and for a path without this method. */
  find(method: string, path: string): Found<Target> | null
  /** Everything that a path has, by method; empty for an unknown path. */
  methodsAt(path: string): ReadonlyMap<string, Target>
}

interface Place<Target> {
  regexp: RegExp
  names: readonly string[]
  methods: Map<string, Target>
}

const noParams: Readonly<Record<string, string>> = {}
const hasParameters = (path: string) => /[:*{(]/.test(path)

export function createRouter<Target>(entries: readonly RouterEntry<Target>[]): Router<Target> {
  const plain = new Map<string, Map<string, Target>>()
  const places = new Map<string, Place<Target>>()

  for (const { method, path, target } of entries) {
    const methods = hasParameters(path) ? placeAt(path).methods : plainAt(path)
    // HEAD is named before GET, as in the `allow` header.
    for (const each of method === 'GET' ? ['HEAD', 'GET'] : [method])
      if (!methods.has(each)) methods.set(each, target)
  }

  function plainAt(path: string): Map<string, Target> {
    const methods = plain.get(path) ?? new Map<string, Target>()
    plain.set(path, methods)
    return methods
  }

  function placeAt(path: string): Place<Target> {
    const known = places.get(path)
    if (known !== undefined) return known
    const { regexp, keys } = pathToRegexp(path, { sensitive: true })
    const made = { regexp, names: keys.map(({ name }) => name), methods: new Map<string, Target>() }
    places.set(path, made)
    return made
  }

  const trimmed = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)

  return {
    find(method, path) {
      const target = (plain.get(path) ?? plain.get(trimmed(path)))?.get(method)
      if (target !== undefined) return { target, params: noParams }
      for (const { regexp, names, methods } of places.values()) {
        const served = methods.get(method)
        const match = served === undefined ? null : regexp.exec(path)
        if (served !== undefined && match !== null) return { target: served, params: paramsOf(names, match) }
      }
      return null
    },
    methodsAt(path) {
      const at = [...places.values()].filter(({ regexp }) => regexp.test(path))
      const found = new Map(plain.get(trimmed(path)))
      for (const { methods } of at)
        for (const [method, target] of methods) if (!found.has(method)) found.set(method, target)
      return found
    },
  }
}

function paramsOf(names: readonly string[], match: RegExpExecArray): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const written = match[index + 1]
    if (written !== undefined && written !== '') params[name] = decode(written)
  }
  return params
}

function decode(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    // Not percent-encoded at all: it is taken as it is written.
    return written
  }
}
