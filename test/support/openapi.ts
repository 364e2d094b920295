/**
 * Checks answers against the served OpenAPI document: an answer that no operation describes, or that its schema
 * refuses, is an error with the operation and the path.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

type Described = Record<string, unknown>

interface SeenAnswer {
  method: string
  /** The path, with or without a query. */
  path: string
  status: number
  contentType: string | null
  text: string
}

export interface AnswerChecker {
  /** Throws when the document does not describe this answer. */
  check(answer: SeenAnswer): void
  /** The id of the operation that a request is, or null. */
  operationIdOf(method: string, path: string): string | null
}

interface Template {
  pattern: RegExp
  /** Fixed segments take precedence: `/things/checks` comes before `/things/{id}`. */
  weight: string
  path: string
}

export function createAnswerChecker(document: Described): AnswerChecker {
  const ajv = createAjv(document)
  const paths = objectOf(document.paths)
  const templates = Object.keys(paths).map(templateOf)
  const compiled = new Map<string, ValidateFunction>()
  const find = (method: string, path: string): { operation: Described; place: string[] } | null => {
    const plain = (path.split('?')[0] ?? path).replace(/(.)\/$/, '$1')
    const fitting = templates
      .filter(({ pattern }) => pattern.test(plain))
      .sort((left, right) => (left.weight < right.weight ? -1 : 1))
    for (const template of fitting) {
      const operation = objectOf(paths[template.path])[method.toLowerCase()]
      if (operation !== undefined)
        return { operation: objectOf(operation), place: ['paths', template.path, method.toLowerCase()] }
    }
    return null
  }
  return {
    operationIdOf: (method, path) => {
      const found = find(method, path)
      return found === null ? null : String(found.operation.operationId)
    },
    check(answer) {
      const { method, path, status, text } = answer
      const found = find(method, path)
      // Unknown paths are answered in the format of all errors.
      if (found === null) {
        if (status !== 404 && status !== 405 && status !== 401)
          throw new Error(`${method} ${path} is in no document.`)
        return
      }
      const { responses } = found.operation
      const key = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find(
        (each) => objectOf(responses)[each] !== undefined,
      )
      const what = `${String(found.operation.operationId)} (${method} ${path}) answered ${status}`
      if (key === undefined) throw new Error(`${what}, which the document does not know.`)
      const { value: response, place } = resolve(document, [...found.place, 'responses', key])
      if (status === 304 || status === 204) return
      if (key === 'default' && status < 400) throw new Error(`${what}, which the document does not know.`)
      const media = mediaOf(objectOf(response.content), answer.contentType)
      if (media === null)
        throw new Error(`${what} as ${answer.contentType}, which the document does not know.`)
      // The schema of a stream is that of one event, and other types are texts or bytes.
      if (!/[/+]json$/.test(media)) return
      const pointer = pointerOf([...place, 'content', media, 'schema'])
      const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` })
      compiled.set(pointer, validate)
      if (validate(JSON.parse(text))) return
      const faults = (validate.errors ?? []).map(({ instancePath, message, params }) => {
        return `${instancePath === '' ? '/' : instancePath} ${message} ${JSON.stringify(params)}`
      })
      throw new Error(
        `${what}, unlike the document says: ${faults.slice(0, 5).join('; ')}\n${text.slice(0, 2000)}`,
      )
    },
  }
}

/** One for all schemas of a document; each is checked against the meta-schema when it is compiled. */
export function createAjv(document: Described): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema({
    $id: 'document',
    ...Object.fromEntries(Object.entries(document).filter(([name]) => name !== '$id')),
  })
  return ajv
}

function templateOf(path: string): Template {
  const weight = path
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '1' : '0'))
    .join('')
  const pattern = path
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    // The rest of a path may contain slashes; no keyword of the document marks such parameters.
    .replace(/\{(rest|id)\}$/, path.includes('/proxy/') || path.includes('/models/') ? '.+' : '[^/]+')
    .replace(/\{[^}]+\}/g, '[^/]+')
  return { pattern: new RegExp(`^${pattern}$`), weight, path }
}

function mediaOf(content: Described, contentType: string | null): string | null {
  const type = (contentType ?? '').split(';')[0]?.trim() ?? ''
  const [family] = type.split('/')
  return [type, `${family}/*`, '*/*'].find((each) => content[each] !== undefined) ?? null
}

const pointerOf = (place: readonly string[]) =>
  place.map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')

/** The object at a place of the document, behind references. */
function resolve(
  document: Described,
  place: readonly string[],
): { value: Described; place: readonly string[] } {
  const value = objectOf(place.reduce<unknown>((holder, name) => objectOf(holder)[name], document))
  if (typeof value.$ref !== 'string') return { value, place }
  return resolve(document, value.$ref.slice(2).split('/'))
}

export const objectOf = (value: unknown): Described =>
  typeof value === 'object' && value !== null ? (value as Described) : {}
