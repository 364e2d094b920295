/**
 * Certificates of the tests: two pairs for localhost and 127.0.0.1 that are valid until 2120, and one that expired.
 * Their keys are public, and good for nothing but these tests.
 */
import { copyFile, mkdtemp, readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'

export type PairName = 'first' | 'second' | 'expired'

const fileOf = (pair: PairName, part: 'cert' | 'key') =>
  fileURLToPath(new URL(`../../support/tls/${pair}.${part}.pem`, import.meta.url))

export const certificateOf = (pair: PairName): Promise<string> => readFile(fileOf(pair, 'cert'), 'utf8')

export interface PairFiles {
  cert: string
  key: string
  /** Puts a part of another pair in the place of this one. */
  replace(part: 'cert' | 'key', pair: PairName): Promise<void>
}

/** A certificate and its key in a folder of their own. */
export async function writePair(pair: PairName): Promise<PairFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-tls-'))
  const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
  const replace = (part: 'cert' | 'key', from: PairName) => copyFile(fileOf(from, part), files[part])
  await replace('cert', pair)
  await replace('key', pair)
  return { ...files, replace }
}

export interface TlsReply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** Common name of the certificate that the server showed. */
  servedBy: string
}

export interface TlsRequest {
  method?: string
  headers?: Record<string, string>
  body?: unknown
  /** The pair whose certificate is trusted. Default: every pair. */
  trusts?: PairName
}

/** One call over a new connection, which checks the server's certificate. */
export async function askTls(url: string, given: TlsRequest = {}): Promise<TlsReply> {
  const { method = 'GET', headers = {}, body, trusts } = given
  const pairs: PairName[] = trusts === undefined ? ['first', 'second'] : [trusts]
  const ca = await Promise.all(pairs.map(certificateOf))
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method, ca, agent: false, headers: { 'content-type': 'application/json', ...headers } },
      (answer) => {
        const shown: DetailedPeerCertificate = (answer.socket as TLSSocket).getPeerCertificate(true)
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (piece: string) => {
          text += piece
        })
        answer.on('error', reject)
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
            servedBy: String(shown.subject.CN),
          }),
        )
      },
    )
    call.on('error', reject)
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
