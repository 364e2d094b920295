/** A form (RFC 7578) that is forwarded as it arrives: no file is ever completely in memory. */
import { randomBytes } from 'node:crypto'
import { type EncodedBody, type FormParts, GatewayError } from '@gateway/contract'
import { escapeName } from './multipart.ts'

const lineEnd = Buffer.from('\r\n')

/** Errors: `invalid_body` for a request without a form. */
export function multipartStream(form: FormParts | null): EncodedBody {
  if (form === null)
    throw new GatewayError('invalid_body', '/file: is required, in a multipart form', { param: '/file' })
  const boundary = `gateway-${randomBytes(18).toString('base64url')}`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.alloc(0),
    stream: write(form, boundary),
  }
}

async function* write(form: FormParts, boundary: string): AsyncGenerator<Buffer> {
  for await (const part of form) {
    const name = `name="${escapeName(part.name)}"`
    if (part.kind === 'field') {
      yield Buffer.from(`${headOf(boundary, name)}${part.value}\r\n`)
      continue
    }
    const type = part.contentType.replace(/[\r\n]/g, '')
    yield Buffer.from(
      headOf(boundary, `${name}; filename="${escapeName(part.filename)}"\r\ncontent-type: ${type}`),
    )
    yield* part.bytes
    yield lineEnd
  }
  yield Buffer.from(`--${boundary}--\r\n`)
}

const headOf = (boundary: string, head: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`
