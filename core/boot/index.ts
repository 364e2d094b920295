/**
 * Starts and stops a gateway: options, config file, admin key, stores, runtime, listeners. Commands also use its
 * descriptions of errors and its progress display.
 */
export { resetAdminKey } from './admin-key.ts'
export { describeDiscoveryFault, describeFaults, describeStoreFaults } from './describe-faults.ts'
export { type LoadedSettings, loadSettings } from './load-settings.ts'
export { builtInNotice, locateConfig } from './locate-config.ts'
export { fileSettings } from './object-settings.ts'
export { certificateFiles } from './open-gateway.ts'
export { type OpenPorts, openPorts } from './open-ports.ts'
export { configPath, type Options, readFlags, resolveOptions, storeUrlOf } from './options.ts'
export { createProgressReporter, type Progress, type ProgressOutput, startProgress } from './progress.ts'
export { runStart } from './run.ts'
