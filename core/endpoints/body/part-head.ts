/** The headers of one part of a form: its name, its file name and type. Errors: `invalid_body`. */
import { GatewayError } from '@gateway/contract'

export interface PartHead {
  name: string
  /** Null for a field. */
  filename: string | null
  contentType: string
  isBase64: boolean
}

/** The splitter reads headers as Latin-1; clients write UTF-8. */
export function addHeaders(headers: Map<string, string>, found: object): void {
  for (const [name, values] of Object.entries(found as Record<string, string[]>))
    headers.set(
      name,
      Buffer.from(values.at(-1) ?? '', 'latin1')
        .toString('utf8')
        .trim(),
    )
}

export function readHead(headers: ReadonlyMap<string, string>): PartHead {
  const { name, filename } = readDisposition(headers.get('content-disposition') ?? '')
  if (name === null || name === '') throw unreadable('a part has no name')
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  if (!['7bit', '8bit', 'binary', 'base64'].includes(encoding))
    throw unreadable('a part has an unknown transfer encoding')
  const contentType = headers.get('content-type') ?? 'application/octet-stream'
  return { name, filename, contentType, isBase64: encoding === 'base64' }
}

/** One parameter of a header: a name, and a value in quotes or without. */
const parameter = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g

function readDisposition(header: string): { name: string | null; filename: string | null } {
  if (!/^form-data\s*(;|$)/i.test(header)) return { name: null, filename: null }
  const parameters = new Map<string, string>()
  for (const [, key = '', quoted, bare = ''] of header.matchAll(parameter)) {
    parameters.set(key.toLowerCase(), quoted === undefined ? bare : unescapeName(quoted))
  }
  const extended = readExtended(parameters.get('filename*'))
  return { name: parameters.get('name') ?? null, filename: extended ?? parameters.get('filename') ?? null }
}

/** Decodes the escapes that browsers (percent signs) and mail clients (backslashes) use. */
const unescapeName = (text: string): string =>
  text.replaceAll('\\"', '"').replace(/%22|%0D|%0A/gi, (code) => decodeURIComponent(code))

/** Decodes a value such as `utf-8''na%C3%AFve.wav`. Null for other charsets, which come with a plain `filename`. */
function readExtended(value: string | undefined): string | null {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1]
  if (encoded === undefined) return null
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}

export const unreadable = (reason: string, cause?: unknown) =>
  new GatewayError('invalid_body', `The form cannot be read: ${reason}.`, { param: '/', cause })

export const tooLarge = (param: string, message: string) =>
  new GatewayError('body_too_large', message, { param })

export const tooMany = (what: string, limit: number) =>
  tooLarge('/', `The form has more than ${limit} ${what}.`)
