/** One connection of a caller to an upstream MCP server, as the relay uses it. */
import { readFileSync } from 'node:fs'
import type { JsonObject } from '@gateway/contract'
import type { RpcRequest } from '../messages.ts'

/** The upstream's description of itself. */
export interface ServerInfo {
  name: string | null
  version: string | null
  protocolVersion: string
  capabilities: JsonObject
  instructions: string | null
}

export interface CallIo {
  /** Aborts the call; the upstream is notified. */
  signal: AbortSignal
  /** Headers of only this call. */
  headers?: Readonly<Record<string, string>>
}

export interface Session {
  readonly info: ServerInfo
  /**
   * Yields notifications of the call as they arrive, and its answer (`result` or `error`) last. Errors:
   * `upstream_unreachable`, `upstream_invalid_response`, `host_not_allowed`, the signal's reason, `SessionLost`,
   * `UpstreamUnauthorized`.
   */
  call(request: RpcRequest, io: CallIo): AsyncIterable<JsonObject>
  close(): void
}

/** The version without sessions and handshakes. Its names in `_meta` begin with the prefix. */
export const statelessVersion = '2026-07-28'
export const metaPrefix = 'io.modelcontextprotocol/'

/** The newest version with sessions. */
export const latestVersion = '2025-11-25'
export const sessionVersions: readonly string[] = [latestVersion, '2025-06-18', '2025-03-26']
/** Upstreams may also use an older version. */
export const upstreamVersions: readonly string[] = [...sessionVersions, '2024-11-05']

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
const { version } = JSON.parse(manifest) as { version: string }

export const clientInfo = { name: 'ai-gateway', version }
