/**
 * Reloads the listeners' certificate when its files change. They are checked every second, so new connections get a
 * renewed certificate without a restart. Open connections keep the old one. If certificate and key do not match, the
 * change is ignored.
 */
import { unwatchFile, watchFile } from 'node:fs'
import type { Server } from 'node:https'
import type { Logger } from 'pino'
import { type Certificate, type CertificateFiles, readCertificate } from './certificate.ts'

/**
 * The polling interval. Polling follows symbolic links, as used for mounted secrets, and compares modification times,
 * because not every mount supports file events.
 */
const watchMs = 1000

export interface TlsReload {
  /** The certificate for new connections. */
  readonly certificate: Certificate
  /** Also serves renewed certificates on this listener. */
  add(server: Server): void
  /** Reads the files again, or reads other files instead of the previous ones. */
  refresh(files: CertificateFiles): Promise<void>
  close(): void
}

export interface TlsReloadOptions {
  files: CertificateFiles
  certificate: Certificate
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  now?: () => number
}

export function createTlsReload({ log, now = Date.now, ...given }: TlsReloadOptions): TlsReload {
  const servers = new Set<Server>()
  let { files, certificate } = given
  let refreshing = Promise.resolve()
  const onChange = () => void refresh(files)

  const watch = () => {
    for (const path of Object.values(files))
      watchFile(path, { interval: watchMs, persistent: false }, onChange)
  }
  const unwatch = () => {
    for (const path of Object.values(files)) unwatchFile(path, onChange)
  }

  /** Reads are serialized, so the files that were read last are used. */
  function refresh(from: CertificateFiles): Promise<void> {
    refreshing = refreshing.then(() => read(from))
    return refreshing
  }

  async function read(from: CertificateFiles): Promise<void> {
    if (from.cert !== files.cert || from.key !== files.key) {
      unwatch()
      files = from
      watch()
    }
    const found = await readCertificate(from)
    if (found.faults !== null) {
      const faults = found.faults.map(({ param, message }) => `${param} ${message}`)
      log.error({ faults }, 'TLS certificate not reloaded; the previous one stays in use')
      return
    }
    const { cert, key } = found.certificate
    if (cert === certificate.cert && key === certificate.key) return
    certificate = found.certificate
    for (const server of servers) server.setSecureContext({ cert, key })
    log.info({ expires_at: new Date(certificate.expiresAt).toISOString() }, 'TLS certificate reloaded')
    warnIfExpired()
  }

  function warnIfExpired(): void {
    if (certificate.expiresAt > now()) return
    log.warn({ file: files.cert }, 'the TLS certificate has expired; clients will refuse it')
  }

  watch()
  warnIfExpired()
  return {
    get certificate() {
      return certificate
    },
    add: (server) => void servers.add(server),
    refresh,
    close: unwatch,
  }
}
