/** A gateway in front of clouds with file buckets, whose storage and jobs are local servers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { openUpstream, type SeenRequest, sendJson, type Upstream } from '../../support/upstream.ts'
import type { Json } from './fixtures.ts'

export interface PlayedS3 {
  url: string
  close(): Promise<void>
}

/** It checks signatures: its only credential is `S3RVER`, `S3RVER`. */
export async function openS3(buckets: readonly string[]): Promise<PlayedS3> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-cloud-'))
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: buckets.map((name) => ({ name })),
  })
  const { port } = await server.run()
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export interface PlayedGcs extends Upstream {
  objects: Map<string, { bytes: Buffer; metadata: Json; contentType: string }>
}

/** Cloud Storage: resumable uploads, ranges, metadata. */
export async function openGcs(): Promise<PlayedGcs> {
  const objects: PlayedGcs['objects'] = new Map()
  const sessions = new Map<string, { name: string; parts: Buffer[]; head: Json }>()
  const upstream = await openUpstream((request, response) => {
    const url = new URL(request.path, 'http://x')
    const session = url.searchParams.get('session')
    if (session !== null) {
      const open = sessions.get(session)
      open?.parts.push(request.bytes)
      if (String(request.headers['content-range']).endsWith('/*')) {
        response.writeHead(308)
        return void response.end()
      }
      const bytes = Buffer.concat(open?.parts ?? [])
      objects.set(open?.name ?? '', {
        bytes,
        metadata: (open?.head.metadata ?? {}) as Json,
        contentType: String(open?.head.contentType),
      })
      return sendJson(response, 200, { size: String(bytes.length) })
    }
    const [, bucket = ''] = /\/b\/([^/]+)\/o/.exec(url.pathname) ?? []
    if (url.pathname.startsWith('/upload/')) {
      const id = String(sessions.size + 1)
      sessions.set(id, {
        name: `${bucket}/${url.searchParams.get('name')}`,
        parts: [],
        head: request.json ?? {},
      })
      response.writeHead(200, { location: `${upstream.origin}/session?session=${id}` })
      return void response.end()
    }
    const name = `${bucket}/${decodeURIComponent(url.pathname.split('/o/')[1] ?? '')}`
    const object = objects.get(name)
    if (object === undefined)
      return sendJson(response, 404, { error: { code: 404, message: 'No such object' } })
    if (request.method === 'DELETE') {
      objects.delete(name)
      response.writeHead(204)
      return void response.end()
    }
    if (url.searchParams.get('alt') === 'media') {
      const [, from, to] = /bytes=(\d+)-(\d+)/.exec(String(request.headers.range)) ?? []
      response.writeHead(206, { 'content-type': object.contentType })
      return void response.end(object.bytes.subarray(Number(from), Number(to) + 1))
    }
    return sendJson(response, 200, {
      name,
      size: String(object.bytes.length),
      timeCreated: '2026-01-02T03:04:05Z',
      contentType: object.contentType,
      metadata: object.metadata,
    })
  })
  return { ...upstream, objects }
}

/** The answers of a control API, by method and path. */
export const openControl = (
  answer: (request: SeenRequest, path: string) => Json | { status: number; body: Json },
): Promise<Upstream> =>
  openUpstream((request, response) => {
    const given = answer(request, new URL(request.path, 'http://x').pathname)
    if ('status' in given && 'body' in given)
      return sendJson(response, Number(given.status), given.body as Json)
    return sendJson(response, 200, given)
  })
