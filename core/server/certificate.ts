/**
 * The certificate of the listeners (`server.tls`) read from its files. A pair that Node would refuse or no client would
 * accept is an error that names the setting, the file and the reason.
 * https://nodejs.org/api/tls.html#tlscreatesecurecontextoptions
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Fault } from '@gateway/contract'

/** Absolute paths. */
export interface CertificateFiles {
  cert: string
  key: string
}

/** The certificate and its key, as PEM. */
export interface Certificate {
  cert: string
  key: string
  /** Milliseconds since the epoch. */
  expiresAt: number
}

export type ReadCertificate = { certificate: Certificate; faults: null } | { faults: readonly Fault[] }

const settingOf = { cert: '/server/tls/cert', key: '/server/tls/key' } as const

/** Reads the certificate and its key. Errors of the files are returned; it never rejects because of them. */
export async function readCertificate(files: CertificateFiles): Promise<ReadCertificate> {
  const faults: Fault[] = []
  const fault = (name: keyof CertificateFiles, message: string) =>
    faults.push({ param: settingOf[name], code: 'invalid_config', message: `${files[name]} ${message}` })
  const read = async (name: keyof CertificateFiles) => {
    try {
      return await readFile(files[name], 'utf8')
    } catch (error) {
      fault(name, `cannot be read: ${codeOf(error)}`)
      return null
    }
  }
  const [cert, key] = await Promise.all([read('cert'), read('key')])
  const leaf = cert === null ? null : parse('cert', cert, (text) => new X509Certificate(text))
  const secret = key === null ? null : parse('key', key, createPrivateKey)
  if (leaf !== null && secret !== null && !leaf.checkPrivateKey(secret)) {
    fault('key', `is not the key of the certificate in ${files.cert}`)
  }
  if (faults.length === 0 && cert !== null && key !== null && leaf !== null) {
    // OpenSSL has its own rules, such as a minimum key size.
    parse('cert', cert, () => createSecureContext({ cert, key }))
    if (faults.length === 0)
      return { certificate: { cert, key, expiresAt: Date.parse(leaf.validTo) }, faults: null }
  }
  return { faults }

  function parse<Parsed>(
    name: keyof CertificateFiles,
    text: string,
    read: (text: string) => Parsed,
  ): Parsed | null {
    try {
      return read(text)
    } catch (error) {
      fault(name, reasonOf(name, error))
      return null
    }
  }
}

const contents = {
  cert: 'contains no certificate in PEM format',
  key: 'contains no private key in PEM format, or only an encrypted one',
}

/** OpenSSL's message is appended: it distinguishes a truncated file from one of another kind. */
function reasonOf(name: keyof CertificateFiles, error: unknown): string {
  const said = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return `${contents[name]}${said}`
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'error'
  return reasons[code] ?? code
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'no permission to read it',
  EISDIR: 'it is a directory',
}
