/**
 * `gateway doctor`: checks the requirements of a start and of requests, and prints a remedy for each problem. It prints
 * no secrets.
 */
import { resolve } from 'node:path'
import {
  builtInNotice,
  certificateFiles,
  describeFaults,
  type LoadedSettings,
  loadSettings,
  type Options,
  resolveOptions,
  storeUrlOf,
} from '../boot/index.ts'
import { readCertificate } from '../server/index.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { checkEncryptionKey } from './doctor/encryption-key.ts'
import { type Finding, failed, ok, warning } from './doctor/finding.ts'
import { checkPorts } from './doctor/ports.ts'
import { checkProviders } from './doctor/providers.ts'
import { checkStore, type StoreContext, type StorePlace } from './doctor/stores.ts'
import { checkNode, checkVersions, gatewayVersion } from './doctor/versions.ts'
import { type FoundPackages, findPackages } from './packages.ts'
import { exitCodes, type Terminal } from './terminal.ts'

export const command: Command = {
  async run(words, terminal) {
    const { values } = readArguments(words, {
      ...configOption,
      offline: { type: 'boolean' },
      json: { type: 'boolean' },
    })
    const findings = await examine(values, terminal)
    if (values.json === true) terminal.out(`${JSON.stringify({ findings }, null, 2)}\n`)
    else terminal.out(describe(findings))
    return findings.some(({ status }) => status === 'failed') ? exitCodes.failed : exitCodes.done
  },
}

async function examine(
  values: { config?: string; offline?: boolean },
  terminal: Terminal,
): Promise<Finding[]> {
  const { environment } = terminal
  const found = await findPackages(values, terminal)
  const { settings, faults: fileFaults } = await loadSettings({ ...found, environment })
  const { options: read, faults } = resolveOptions({}, environment, settings?.file ?? null)
  const options = { ...read, dataDir: resolve(terminal.directory, read.dataDir) }
  const variables = faults.map(({ source, message }) =>
    failed('environment', `${source} ${message}`, `Correct ${source}.`),
  )
  const findings: Finding[] = [
    checkNode(process.versions.node),
    checkVersions(found.registry, await gatewayVersion()),
    checkConfig(found, describeFaults(found.written, fileFaults)),
    ...variables,
  ]
  if (settings === null) return findings
  try {
    findings.push(...(await checkPorts(options, settings.file)))
    findings.push(...(await checkTls(found.path, settings)))
    findings.push(...(await checkStores(options, found, terminal)))
    if (values.offline !== true)
      findings.push(...(await checkProviders(settings, { outbound: settings.outbound, now: Date.now })))
    return findings
  } finally {
    settings.outbound.close()
    await settings.upstream.close()
  }
}

function checkConfig(
  { written, isBuiltIn, faults: packageFaults }: FoundPackages,
  faults: readonly string[],
): Finding {
  const all = new Set([...packageFaults, ...faults])
  if (all.size > 0)
    return failed('config', `${[...all].join('; ')}`, 'Correct the file; "gateway check" shows each place.')
  if (!isBuiltIn) return ok('config', `${written} is valid`)
  return warning('config', builtInNotice(written), 'Run "gateway init", then add providers.')
}

const fewDaysMs = 14 * 86_400_000

async function checkTls(path: string, { file }: LoadedSettings): Promise<Finding[]> {
  const files = certificateFiles(path, file)
  if (files === null) return []
  const read = await readCertificate(files)
  if (read.faults !== null) {
    const reasons = read.faults.map(({ message }) => message).join('; ')
    return [failed('certificate', reasons, 'Correct server.tls or the files that it names.')]
  }
  const { expiresAt } = read.certificate
  const date = new Date(expiresAt).toISOString().slice(0, 10)
  const remedy = 'Renew the certificate; a running gateway reloads the files automatically.'
  if (expiresAt <= Date.now()) return [failed('certificate', `expired on ${date}`, remedy)]
  if (expiresAt <= Date.now() + fewDaysMs) return [warning('certificate', `expires on ${date}`, remedy)]
  return [ok('certificate', `valid until ${date}`)]
}

async function checkStores(
  options: Options,
  { registry }: FoundPackages,
  terminal: Terminal,
): Promise<Finding[]> {
  const storeUrl = storeUrlOf(options)
  const context: StoreContext = {
    stores: registry.stores,
    directory: terminal.directory,
    dataDirectory: options.dataDir,
    now: () => performance.now(),
  }
  const places: StorePlace[] = [
    { check: 'store', url: storeUrl, settings: 'GATEWAY_STORE_URL or store.url' },
    ...(options.logsUrl === null || options.logsUrl === storeUrl
      ? []
      : [{ check: 'logs', url: options.logsUrl, settings: 'GATEWAY_LOGS_URL or logs.url' }]),
    ...(options.redisUrl === null
      ? []
      : [{ check: 'redis', url: options.redisUrl, settings: 'GATEWAY_REDIS_URL or redis.url' }]),
  ]
  const checks = await Promise.all(places.map((place) => checkStore(place, context)))
  try {
    const documents = checks[0]?.store?.documents ?? null
    const isServer = storeUrl.includes('://')
    return [...checks.map(({ finding }) => finding), await checkEncryptionKey(options, documents, isServer)]
  } finally {
    await Promise.all(checks.map(({ store }) => store?.close()))
  }
}

/** One line per finding, followed by the remedy. */
function describe(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.map(({ check, status, message, remedy }) => {
    const indent = ' '.repeat(status.length + 2)
    const line = `${status.padEnd(7)}  ${check.padEnd(width)}  ${message}\n`
    return remedy === undefined
      ? line
      : `${line}${' '.repeat(Math.max(indent.length, 9) + width + 2)}-> ${remedy}\n`
  })
  const count = (wanted: Finding['status']) => findings.filter(({ status }) => status === wanted).length
  const warnings = count('warning')
  return `${lines.join('')}\n${count('failed')} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}\n`
}
