/** The example request of an operation: its path with example values, its required query, its example body. */
import type { Sample } from './code-samples.ts'

type Described = Record<string, unknown>

const objectOf = (value: unknown): Described =>
  typeof value === 'object' && value !== null ? (value as Described) : {}
const listOf = (value: unknown): Described[] => (Array.isArray(value) ? value.map(objectOf) : [])

interface SampleOptions {
  path: string
  method: string
  origin: string
}

export function sampleOf(document: unknown, { path, method, origin }: SampleOptions): Sample {
  const operation = objectOf(objectOf(objectOf(objectOf(document).paths)[path])[method])
  const parameters = listOf(operation.parameters)
  const example = (name: string) =>
    String(parameters.find((each) => each.in === 'path' && each.name === name)?.example ?? name)
  const query = parameters
    .filter((each) => each.in === 'query' && each.required === true)
    .map((each) => `${String(each.name)}=${encodeURIComponent(String(each.example ?? ''))}`)
  const content = objectOf(objectOf(operation.requestBody).content)
  const json = content['application/json']
  const form = objectOf(content['multipart/form-data'])
  const fields = json === undefined ? Object.keys(objectOf(form.example)) : []
  const isPublic = Array.isArray(operation.security) && operation.security.length === 0
  return {
    method: method.toUpperCase(),
    url:
      origin +
      path.replace(/\{([^}]+)\}/g, (_, name: string) => example(name)) +
      (query.length === 0 ? '' : `?${query.join('&')}`),
    headers: [
      ...(isPublic ? [] : [['authorization', 'Bearer $GATEWAY_KEY'] as const]),
      ...(json === undefined ? [] : [['content-type', 'application/json'] as const]),
    ],
    body: objectOf(json).example ?? null,
    form: fields,
  }
}
