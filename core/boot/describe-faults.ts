/** Errors found before the start, one line each: `FILE:LINE:COLUMN PATH MESSAGE`. */
import { type FileFault, type NamedPackages, toFileFaults } from '@gateway/config-file'
import { faultReason, type GatewayError } from '@gateway/contract'
import type { Registry } from '@gateway/flow'
import type { DiscoveryFault } from '../discovery/index.ts'
import type { SettingsResult } from './load-settings.ts'
import { storeFaults } from './open-ports.ts'
import { type Options, storeUrlOf } from './options.ts'

/** An error of a package that the config file names is reported at that line. */
export function describeDiscoveryFault(
  { path, package: name, named, message }: DiscoveryFault,
  configPath: string,
  places: NamedPackages['places'],
): string {
  const place = named === null ? undefined : places.get(named)
  if (place === undefined) return `${path}: the package ${name} ${message}`
  const { line, column, param } = place
  return `${configPath}:${line}:${column} ${param} the package ${name} ${message} (${path})`
}

export function describeFaults(path: string, faults: readonly FileFault[]): string[] {
  return faults.map(({ line, column, param, message, code }) =>
    code === 'unreadable_file'
      ? `${path} ${message} (${code})`
      : `${path}:${line}:${column} ${param === '' ? '/' : param} ${message} (${code})`,
  )
}

interface DescribeStoreFaultsOptions {
  options: Options
  registry: Pick<Registry, 'stores'>
}

/**
 * An error of a store URL is reported at its line in the config file, or with the name of the setting if the URL comes
 * from the environment.
 */
export function describeStoreFaults(
  configPath: string,
  { settings, locate }: Pick<SettingsResult, 'settings' | 'locate'>,
  { options, registry: { stores } }: DescribeStoreFaultsOptions,
): string[] {
  const faults = storeFaults({ ...options, storeUrl: storeUrlOf(options) }, stores)
  return faults.flatMap(({ section, url, message }) => {
    const isOfFile = settings?.file[section]?.url === url
    if (!isOfFile) return [`${section}.url: ${message}`]
    const param = `/${section}/url`
    return describeFaults(configPath, toFileFaults([{ param, code: 'invalid_config', message }], locate))
  })
}

/** The message for an operator when the stores could not be opened; callers do not see SQLite's error and path. */
export function describeStoreError(
  error: GatewayError,
  options: Pick<Options, 'storeUrl' | 'dataDir'>,
): string {
  if (error.storeFault?.startsWith('SQLITE_') !== true) return faultReason(error)
  const file = storeUrlOf(options).slice('sqlite:'.length)
  return `The gateway cannot start: SQLite cannot use ${file} or the log next to it (${error.storeFault}). Restore a damaged file from a backup, or use another folder (GATEWAY_DATA_DIR) or store (GATEWAY_STORE_URL).`
}
