/**
 * Members of a body that repeat the path, as some clients send them: `PUT /feedback/F` with `{"feedback_id": "F", …}`. Equal ones
 * are dropped; others stay in the body, where validation refuses them.
 */
import { isObject, type JsonObject, ownMember, type ServiceRequest } from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'

interface Repeating {
  path: string
  body?: TSchema
  /** Members that repeat fixed parts of the path. */
  repeats?: Readonly<JsonObject>
}

const snake = (name: string) =>
  name.replaceAll('-', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `/workspaces/:id/users/:userId` → `id`, `slug` and `workspace_id` for the first, `user_id` for the second. */
function namesByParameter(path: string): [parameter: string, names: readonly string[]][] {
  const segments = path.split('/')
  return segments.flatMap((segment, index): [string, string[]][] => {
    if (!segment.startsWith(':')) return []
    const noun = snake(segments[index - 1] ?? '').replace(/s$/, '')
    const own = snake(segment.slice(1))
    return [[segment.slice(1), [own, `${noun}_id`, ...(own === 'id' ? ['slug'] : [])]]]
  })
}

/** Makes a function that returns the body without members that repeat the route's path; members that its schema defines stay. */
export function createRepeatedReader({ path, body: schema, repeats = {} }: Repeating) {
  const parameters = namesByParameter(path)
  const defined = isObject(schema?.properties) ? schema.properties : {}

  return function withoutRepeated({ body, params }: ServiceRequest): unknown {
    if (!isObject(body)) return body
    const given = parameters.flatMap(([parameter, names]) => names.map((name) => [name, params[parameter]]))
    const known: JsonObject = {
      ...Object.fromEntries(given.filter(([name = '']) => !Object.hasOwn(defined, name))),
      ...repeats,
    }
    const isRepeated = (name: string) => body[name] !== undefined && body[name] === ownMember(known, name)
    if (!Object.keys(body).some(isRepeated)) return body
    return Object.fromEntries(Object.entries(body).filter(([name]) => !isRepeated(name)))
  }
}
