/** Opens a gateway's store for a command, with the same config file, environment and packages as `gateway start`. */
import { resolve } from 'node:path'
import type { ConfigFile } from '@gateway/config-file'
import { type ContentsContext, faultReason, isGatewayError, type StoredContents } from '@gateway/contract'
import type { Registry } from '@gateway/flow'
import {
  createProgressReporter,
  describeFaults,
  fileSettings,
  loadSettings,
  type OpenPorts,
  openPorts,
  resolveOptions,
  storeUrlOf,
} from '../boot/index.ts'
import { checkMasterKey, type MasterSealer, openSealer } from '../tenancy/index.ts'
import { findPackages } from './packages.ts'
import type { Terminal } from './terminal.ts'

export interface OpenedStore {
  ports: OpenPorts
  /** Data that services store outside the ports. Errors: `invalid_config`. */
  openContents(): StoredContents[]
  sealer: MasterSealer
  file: ConfigFile
  options: ReturnType<typeof resolveOptions>['options']
}

/**
 * Returns null if the store cannot be opened, after writing every reason to the terminal. The caller closes the ports.
 */
export async function openStore(
  values: { config?: string },
  terminal: Terminal,
): Promise<OpenedStore | null> {
  const { environment } = terminal
  const found = await findPackages(values, terminal)
  const loaded = await loadSettings({ path: found.path, environment, registry: found.registry })
  const file = loaded.settings?.file ?? null
  await loaded.settings?.upstream.close()
  const { options, faults } = resolveOptions({}, environment, file)
  const reasons = [
    ...found.faults,
    ...describeFaults(found.written, loaded.faults),
    ...faults.map(({ source, message }) => `${source} ${message}`),
  ]
  if (reasons.length > 0 || file === null || loaded.settings === null) {
    loaded.settings?.outbound.close()
    for (const reason of new Set(reasons)) terminal.err(`${reason}\n`)
    return null
  }
  const { outbound } = loaded.settings
  const migrating = createProgressReporter(terminal)
  try {
    const opened = await openPorts({
      storeUrl: storeUrlOf(options),
      redisUrl: options.redisUrl,
      logsUrl: options.logsUrl,
      redis: file.redis,
      stores: found.registry.stores,
      cache: { maxEntries: file.cache.max_entries, maxBytes: file.cache.max_bytes },
      options: {
        directory: terminal.directory,
        dataDirectory: resolve(terminal.directory, options.dataDir),
        report: (message, error) => terminal.err(`${message}: ${faultReason(error)}\n`),
        progress: migrating.report,
      },
      cluster: undefined,
    })
    const ports: OpenPorts = {
      ...opened,
      async close() {
        await opened.close()
        outbound.close()
      },
    }
    try {
      const sealer = await openSealer(options)
      await checkMasterKey(ports.documents, sealer)
      const openContents = () =>
        contentsOf(found.registry, {
          blobs: ports.blobs,
          files: () => fileSettings(file, options),
          fetch: (request) => outbound.fetch(request),
          now: () => Date.now(),
        })
      return { ports, openContents, sealer, file, options }
    } catch (error) {
      await opened.close()
      throw error
    }
  } catch (error) {
    outbound.close()
    if (!isGatewayError(error)) throw error
    terminal.err(`${faultReason(error)}\n`)
    return null
  } finally {
    migrating.end()
  }
}

const contentsOf = ({ services }: Registry, context: ContentsContext): StoredContents[] =>
  services.flatMap((service) => service.contents?.(context) ?? [])
