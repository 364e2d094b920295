/**
 * Reads `clickhouse://USER:PASSWORD@HOST:PORT/DATABASE`; parameters: `secure=true` for TLS, `batch_ms` and `queue_mb`.
 * Ports are those of ClickHouse's HTTP interface. Errors: `invalid_config`, which never repeats the URL.
 */
import { GatewayError } from '@gateway/contract'

export interface Address {
  /** The URL of the HTTP interface. */
  url: string
  username: string
  password: string
  database: string
  /** The shortest time between two inserts from the queue. */
  batchMs: number
  /** The largest size of the queue on disk. */
  queueBytes: number
}

const defaultBatchMs = 1000
const defaultQueueMb = 1024
const parameters: ReadonlySet<string> = new Set(['secure', 'batch_ms', 'queue_mb'])

export function readAddress(text: string): Address {
  if (!URL.canParse(text)) throw invalid('it is not a URL')
  const url = new URL(text)
  if (url.hostname === '') throw invalid('it has no host')
  const database = decodeURIComponent(url.pathname.slice(1)) || 'default'
  if (!/^[A-Za-z_]\w{0,62}$/.test(database))
    throw invalid('the database must be a name of letters, digits and underscores')
  for (const name of url.searchParams.keys())
    if (!parameters.has(name))
      throw invalid(`the parameter ${name} is unknown: use ${[...parameters].join(', ')}`)
  const isSecure = url.searchParams.get('secure') === 'true'
  const port = url.port === '' ? (isSecure ? '8443' : '8123') : url.port
  return {
    url: `${isSecure ? 'https' : 'http'}://${url.hostname}:${port}`,
    username: decodeURIComponent(url.username) || 'default',
    password: decodeURIComponent(url.password),
    database,
    batchMs: wholeNumber(url, 'batch_ms', defaultBatchMs),
    queueBytes: wholeNumber(url, 'queue_mb', defaultQueueMb) * 1_048_576,
  }
}

function wholeNumber({ searchParams }: URL, name: string, byDefault: number): number {
  const text = searchParams.get(name)
  if (text === null) return byDefault
  if (!/^\d{1,6}$/.test(text)) throw invalid(`${name} must be a whole number`)
  return Number(text)
}

const invalid = (why: string) =>
  new GatewayError(
    'invalid_config',
    `The URL of ClickHouse is invalid: ${why}. Use clickhouse://USER:PASSWORD@HOST:8123/DATABASE`,
  )
