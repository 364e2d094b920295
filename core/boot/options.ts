/**
 * Process options. Flags override the environment, which overrides the config file. The error for an invalid value
 * names the value's source.
 */
import { availableParallelism } from 'node:os'
import { type ConfigFile, type Environment, serverDefaults } from '@gateway/config-file'

/** Values of the command line, read by {@link readFlags}. */
export interface Flags {
  config?: string | undefined
  host?: string | undefined
  port?: number | undefined
  workers?: number | 'auto' | undefined
}

export interface Options {
  host: string
  port: number
  /** Number of processes; 1: only this one. */
  workers: number
  /** Folder of the embedded store and the encryption key. */
  dataDir: string
  storeUrl: string | null
  redisUrl: string | null
  /** Store URL of the log, when it is separate. */
  logsUrl: string | null
  adminKey: string | null
  /** 32 bytes. */
  encryptionKey: Buffer | null
  /** The previous key, while a rotation re-wraps secrets; 32 bytes. */
  previousEncryptionKey: Buffer | null
  apiKeyPrefix: string
  /** Null: not set. */
  logLevel: string | null
  /** `pretty` for people, `json` for programs; null: `pretty` if stdout is a terminal. */
  logFormat: 'json' | 'pretty' | null
}

export interface OptionFault {
  /** The flag or the variable: `--port`, `GATEWAY_PORT`. */
  source: string
  message: string
}

const defaultConfigPath = 'config/gateway.yaml'
const defaultKeyPrefix = 'gw-'
const maxWorkers = 1024

/** The path of the config file, relative to the working directory. */
export function configPath(flags: Pick<Flags, 'config'>, environment: Environment): string {
  return flags.config ?? setting(environment, 'GATEWAY_CONFIG') ?? defaultConfigPath
}

/** Flags as they were typed. */
export function readFlags(typed: { [name in keyof Flags]?: string | undefined }): {
  flags: Flags
  faults: OptionFault[]
} {
  const faults: OptionFault[] = []
  const flags: Flags = {}
  const read = <Value>(name: keyof Flags, parse: Parse<Value>): Value | undefined =>
    parsed(typed[name], { source: `--${name}`, parse, faults })
  flags.config = read('config', parseText)
  flags.host = read('host', parseText)
  flags.port = read('port', parsePort)
  flags.workers = read('workers', parseWorkers)
  return { flags, faults }
}

/**
 * Process options from all sources.
 * @param file null without a config file, or when it is invalid
 */
export function resolveOptions(
  flags: Flags,
  environment: Environment,
  file: ConfigFile | null,
): { options: Options; faults: OptionFault[] } {
  const faults: OptionFault[] = []
  const read = <Value>(name: string, parse: Parse<Value>): Value | undefined =>
    parsed(setting(environment, name), { source: name, parse, faults })
  const workers = flags.workers ?? read('GATEWAY_WORKERS', parseWorkers) ?? 1
  const options: Options = {
    host: flags.host ?? read('GATEWAY_HOST', parseText) ?? file?.server.host ?? serverDefaults.host,
    port: flags.port ?? read('GATEWAY_PORT', parsePort) ?? file?.server.port ?? serverDefaults.port,
    workers: workers === 'auto' ? availableParallelism() : workers,
    dataDir: read('GATEWAY_DATA_DIR', parseText) ?? './data',
    storeUrl: read('GATEWAY_STORE_URL', parseUrl) ?? file?.store?.url ?? null,
    redisUrl: read('GATEWAY_REDIS_URL', parseUrl) ?? file?.redis.url ?? null,
    logsUrl: read('GATEWAY_LOGS_URL', parseUrl) ?? file?.logs.url ?? null,
    adminKey: read('GATEWAY_ADMIN_KEY', parseKey) ?? null,
    encryptionKey: read('GATEWAY_ENCRYPTION_KEY', parseEncryptionKey) ?? null,
    previousEncryptionKey: read('GATEWAY_PREVIOUS_ENCRYPTION_KEY', parseEncryptionKey) ?? null,
    apiKeyPrefix: read('API_KEY_PREFIX', parseKeyPrefix) ?? defaultKeyPrefix,
    logLevel: read('GATEWAY_LOG_LEVEL', parseLogLevel) ?? file?.logs.level ?? null,
    logFormat: read('GATEWAY_LOG_FORMAT', parseLogFormat) ?? null,
  }
  return { options, faults }
}

/** A variable's value; an empty one counts as unset. */
function setting(environment: Environment, name: string): string | undefined {
  return environment[name] === '' ? undefined : environment[name]
}

/** Returns the value, or a description of valid values. */
type Parse<Value> = (text: string) => { value: Value } | { must: string }

interface ParsedOptions<Value> {
  source: string
  parse: Parse<Value>
  faults: OptionFault[]
}

function parsed<Value>(
  text: string | undefined,
  { source, parse, faults }: ParsedOptions<Value>,
): Value | undefined {
  if (text === undefined) return undefined
  const result = parse(text)
  if ('value' in result) return result.value
  faults.push({ source, message: `must be ${result.must}` })
  return undefined
}

const parseText: Parse<string> = (text) => (text.trim() === '' ? { must: 'a text' } : { value: text })

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

const parseLogLevel: Parse<string> = (text) =>
  logLevels.includes(text) ? { value: text } : { must: `one of ${logLevels.join(', ')}` }

const parseLogFormat: Parse<'json' | 'pretty'> = (text) =>
  text === 'json' || text === 'pretty' ? { value: text } : { must: 'json or pretty' }

const integer = (text: string, least: number, most: number): number | null => {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  return value >= least && value <= most ? value : null
}

const parsePort: Parse<number> = (text) => {
  const port = integer(text, 0, 65_535)
  return port === null ? { must: 'a port: a whole number from 0 to 65535' } : { value: port }
}

const parseWorkers: Parse<number | 'auto'> = (text) => {
  if (text === 'auto') return { value: 'auto' }
  const workers = integer(text, 1, maxWorkers)
  return workers === null ? { must: `auto or a whole number from 1 to ${maxWorkers}` } : { value: workers }
}

const parseUrl: Parse<string> = (text) =>
  /^(?:memory:$|[a-z][a-z0-9+.-]*:.)/i.test(text) ? { value: text } : { must: 'a URL with its scheme' }

const parseKey: Parse<string> = (text) =>
  /^[\x21-\x7e]+$/.test(text) ? { value: text } : { must: 'printable characters without spaces' }

/** Prefixes of other kinds of credential. */
const takenPrefixes = ['gws_', 'gwscim_', 'gwo_']

const parseKeyPrefix: Parse<string> = (text) =>
  /^[A-Za-z0-9_-]{1,32}$/.test(text) && !takenPrefixes.some((taken) => text.startsWith(taken))
    ? { value: text }
    : { must: `1 to 32 of A-Z a-z 0-9 _ -, and begin with none of ${takenPrefixes.join(' ')}` }

const parseEncryptionKey: Parse<Buffer> = (text) => {
  const key = Buffer.from(text, 'base64')
  return key.length === 32
    ? { value: key }
    : { must: '32 bytes in base64; `openssl rand -base64 32` prints such a key' }
}

/** Store URL of the documents: the configured one, otherwise SQLite in the data directory. */
export const storeUrlOf = ({ storeUrl, dataDir }: Pick<Options, 'storeUrl' | 'dataDir'>) =>
  storeUrl ?? `sqlite:${dataDir}/gateway.db`
