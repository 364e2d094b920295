/**
 * Files of Amazon Bedrock: S3 objects in the region of the settings, with path-style URLs
 * (`https://s3.REGION/BUCKET/KEY`). `configurations.storage_host` replaces the S3 host.
 * Reference: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */
import { GatewayError, type ProcedureContext, type ProviderFetchAnswer } from '@gateway/contract'
import {
  type Auth,
  answerFault,
  awsDomain,
  awsError,
  type CloudPlace,
  type CloudStore,
  callObject,
  type NewObject,
  type ObjectCall,
} from '@gateway/provider-kit'
import { configuredText } from './configurations.ts'

export interface StorageOptions {
  regionOf(settings: ProcedureContext['settings']): string
  /** Signs for S3. */
  sign: Auth
}

export function s3Store({ regionOf, sign }: StorageOptions): CloudStore {
  const urlOf = ({ bucket, key }: CloudPlace, { settings }: ProcedureContext, query = ''): string => {
    const region = regionOf(settings)
    const host = configuredText(settings, 'storage_host') ?? `https://s3.${region}.${awsDomain(region)}`
    return `${host.replace(/\/+$/, '')}/${bucket}/${key.split('/').map(encode).join('/')}${query}`
  }
  async function call(request: ObjectCall, context: ProcedureContext): Promise<ProviderFetchAnswer> {
    const answer = await callObject(request, context, async (unsigned) => {
      // The process's own credential is only sent to the hosts allowed for every call.
      await context.authorize(unsigned)
      return sign(unsigned, context.settings, context)
    })
    if (answer.status >= 300) throw answerFault(answer, errorIn(answer), awsError)
    return answer
  }

  async function putParts(
    { place, contentType, metadata }: NewObject,
    parts: AsyncIterable<Buffer>,
    context: ProcedureContext,
  ): Promise<number> {
    const headers = { 'content-type': contentType, ...prefixed(metadata) }
    const rest = parts[Symbol.asyncIterator]()
    const first = await rest.next()
    const second = first.done === true ? first : await rest.next()
    const whole = first.done === true ? Buffer.alloc(0) : first.value
    if (second.done === true) {
      await call({ method: 'PUT', url: urlOf(place, context), headers, body: whole }, context)
      return whole.length
    }
    const opened = await call({ method: 'POST', url: urlOf(place, context, '?uploads='), headers }, context)
    const uploadId = elementIn(opened, 'UploadId')
    const query = `uploadId=${encode(uploadId)}`
    const tags: string[] = []
    let bytes = 0
    const send = async (part: Buffer) => {
      const url = urlOf(place, context, `?partNumber=${tags.length + 1}&${query}`)
      const sent = await call({ method: 'PUT', url, body: part }, context)
      tags.push(sent.headers.etag ?? '')
      bytes += part.length
    }
    try {
      await send(whole)
      await send(second.value)
      for (let step = await rest.next(); step.done !== true; step = await rest.next()) await send(step.value)
      const listed = tags.map(
        (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
      )
      const body = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`
      const url = urlOf(place, context, `?${query}`)
      const closed = await call(
        { method: 'POST', url, headers: { 'content-type': 'application/xml' }, body },
        context,
      )
      // S3 can report a failure in the body of a 200 answer.
      if (/<Error>/.test(closed.bytes.toString('utf8'))) throw unreadable()
      return bytes
    } catch (error) {
      await call({ method: 'DELETE', url: urlOf(place, context, `?${query}`) }, context).catch(() => {
        // Report the first fault.
      })
      throw error
    }
  }

  return {
    scheme: 's3',
    bucketName: 'aws_s3_bucket',
    put: putParts,
    async head(place, context) {
      const { headers } = await call({ method: 'HEAD', url: urlOf(place, context) }, context)
      const at = Date.parse(headers['last-modified'] ?? '')
      return {
        bytes: Number(headers['content-length'] ?? 0),
        createdAt: Number.isNaN(at) ? 0 : Math.floor(at / 1000),
        contentType: headers['content-type'] ?? 'application/octet-stream',
        metadata: metadataIn(headers),
      }
    },
    async read(place, { from, to }, context) {
      const headers = { range: `bytes=${from}-${to}` }
      const maxBytes = to - from + 1
      return (await call({ method: 'GET', url: urlOf(place, context), headers, maxBytes }, context)).bytes
    },
    async remove(place, context) {
      await call({ method: 'DELETE', url: urlOf(place, context) }, context)
    },
  }
}

const metadataPrefix = 'x-amz-meta-'

const prefixed = (metadata: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [metadataPrefix + name, value]))

const metadataIn = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(metadataPrefix))
      .map(([name, value]) => [name.slice(metadataPrefix.length), value]),
  )

/** Escapes everything but letters, digits and `-._~`, as signatures require. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Errors are XML. */
function errorIn({ bytes }: ProviderFetchAnswer) {
  const text = bytes.toString('utf8')
  const [code, message] = ['Code', 'Message'].map(
    (name) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1],
  )
  return code === undefined && message === undefined
    ? {}
    : { __type: code ?? 'Error', message: message ?? code ?? '' }
}

function elementIn({ bytes }: ProviderFetchAnswer, name: string): string {
  const found = new RegExp(`<${name}>([^<]+)</${name}>`).exec(bytes.toString('utf8'))?.[1]
  if (found === undefined) throw unreadable()
  return found
}

const unreadable = () =>
  new GatewayError('upstream_invalid_response', 'The provider returned an invalid answer.')
