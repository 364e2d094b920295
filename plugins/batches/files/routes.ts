/** The endpoints of files: those that the gateway stores, and forwarding for those of a provider. */
import type { EndpointHandler, EndpointId, EndpointRequest, JsonObject } from '@gateway/contract'
import { callerOf } from '../shared/caller.ts'
import { listByCursor, readCursorQuery } from '../shared/cursor.ts'
import type { Owner } from '../shared/entities.ts'
import { conflict } from '../shared/faults.ts'
import { readId } from '../shared/ids.ts'
import { presentFile } from './present.ts'
import { type UploadParts, uploadFile } from './upload.ts'

export interface FileRoutesOptions extends UploadParts {
  /** The batch that is reading a file now, or null. */
  reader(fileDocumentId: string, workspaceId: string): Promise<string | null>
  /** Charges a batch before its output file at the provider is deleted. Errors: 409 `conflict`. */
  chargeFirst(request: EndpointRequest): Promise<void>
}

const pages = { most: 10_000, standard: 10_000 }

export function fileHandlers(options: FileRoutesOptions): Partial<Record<EndpointId, EndpointHandler>> {
  const { files, audit, reader, chargeFirst } = options

  const find = (request: EndpointRequest) =>
    files.find(request.params.file_id ?? '', callerOf(request).workspaceId, 'path/file_id')

  return {
    createFile: (request) => uploadFile(options, request),
    async listFiles(request) {
      const owner = await ownerOf(request)
      if (owner === null) return passOn(request)
      const query = readCursorQuery(request.query, pages)
      const { purpose } = request.query
      const body = await listByCursor({
        documents: files.documents,
        kind: 'file',
        workspaceId: callerOf(request).workspaceId,
        attributes: { owner: [owner], ...(purpose === undefined ? {} : { purpose: [purpose] }) },
        query,
        isHidden: ({ data }) => data.expires_at !== null && data.expires_at <= options.context.now(),
        present: presentFile,
      })
      return { status: 200, body }
    },
    async retrieveFile(request) {
      if (isOfProvider(request)) return passOn(request)
      return { status: 200, body: presentFile(await find(request)) }
    },
    async retrieveFileContent(request) {
      if (isOfProvider(request)) return passOn(request)
      const file = await find(request)
      const { bytes, content_type: type, filename } = file.data
      return {
        status: 200,
        headers: {
          'content-type': type,
          'content-length': String(bytes),
          'content-disposition': dispositionOf(filename),
          'x-content-type-options': 'nosniff',
          'content-security-policy': 'sandbox',
        },
        body: { stream: await files.read(file) },
      }
    },
    async deleteFile(request) {
      if (isOfProvider(request)) {
        await chargeFirst(request)
        return passOn(request)
      }
      const file = await find(request)
      const batch = await reader(file.id, callerOf(request).workspaceId)
      if (batch !== null)
        throw conflict(
          `The batch ${batch} is still reading this file. Wait until it ends or cancel it.`,
          'path/file_id',
        )
      const before = presentFile(file)
      await files.remove(file, [
        audit.write(request, { action: 'delete', type: 'file', id: file.id, before }),
      ])
      return { status: 200, body: { id: before.id ?? '', object: 'file', deleted: true } }
    },
  }
}

/** The id decides: an id that is not the gateway's belongs to the provider in the request. */
const isOfProvider = (request: EndpointRequest): boolean =>
  readId('file', request.params.file_id ?? '') === null && request.namesTarget

/** The owner of the listed objects; null: the specified provider. */
export async function ownerOf(request: EndpointRequest): Promise<Owner | null> {
  if (!request.namesTarget) return 'gateway'
  const [target, ...others] = await request.targets()
  return target?.provider === 'echo' && others.length === 0 ? 'echo' : null
}

/** Forwards the request's path and query to the provider. */
export async function passOn(request: EndpointRequest): Promise<null> {
  const body: JsonObject = { ...request.query, ...request.body, ...request.params }
  await request.forward(body)
  return null
}

/** RFC 6266: a name in ASCII, and the complete name in UTF-8. */
function dispositionOf(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\]/g, '_')
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
