/**
 * Keeps the listeners' certificate that of its files: they are looked at every second, so that a renewed certificate
 * serves new connections without a restart. Open connections keep theirs. A pair that does not fit changes nothing.
 */
import { unwatchFile, watchFile } from 'node:fs'
import type { Server } from 'node:https'
import type { Logger } from 'pino'
import { type Certificate, type CertificateFiles, readCertificate } from './certificate.ts'

/** Also follows links, as those of mounted secrets; by the file's times, as events are not to be had on every mount. */
const watchMs = 1000

export interface TlsReload {
  /** Of new connections. */
  readonly certificate: Certificate
  /** Also serves renewed certificates on this listener. */
  add(server: Server): void
  /** Reads the files again; another pair of files takes the place of the last one. */
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

  /** Serialized, so that the pair read last is used. */
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
