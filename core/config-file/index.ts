/**
 * `@gateway/config-file`: the config file of the gateway. Its settings and their schema, reading and validating a file
 * with the position of each error, its objects as documents, API keys added to it, and the schema of routing configs.
 * Core builds the settings of a process from what this package returns.
 */
export { type ConfigFile, serverDefaults, settingsAtStart } from './complete.ts'
export { formatOf, parseFileText } from './document.ts'
export { fileDocuments, fileModel, filePricingAdjustments } from './documents.ts'
export type { Environment } from './environment.ts'
export { type FileFault, type Locate, sortFaults, toFileFaults } from './fault.ts'
export { fileId, fileWorkspaceId } from './ids.ts'
export { addKey, keyHash, type NewKey, removeKey, replaceKey } from './keys.ts'
export { type NamedPackages, peekPackages } from './peek.ts'
export { publishSchemas } from './publish.ts'
export { createFileContext, type FileResult, readConfigFile, readFileText } from './read-file.ts'
export { remoteServerSecrets } from './remote-servers.ts'
export type { Config } from './routing-config.ts'
export { utcTime } from './time.ts'
export { configValidator, fileSchemas } from './validate.ts'
