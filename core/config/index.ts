/**
 * The config file and saved configs: their schemas, compilation, inheritance, and the targets that a request can use.
 * Types of compiled configs are in `flow`.
 */
export { checkCredential } from './check-credential.ts'
export { compileConfig } from './compile.ts'
export { type ConfigFile, fileDefaults, settingsAtStart } from './file/complete.ts'
export { compileFileCredentials, storedSettings } from './file/credentials.ts'
export { formatOf, parseFileText } from './file/document.ts'
export { fileDocuments } from './file/documents.ts'
export type { Environment } from './file/environment.ts'
export { type FileFault, sortFaults, toFileFaults } from './file/fault.ts'
export { fileId, fileWorkspaceId } from './file/ids.ts'
export { addKey, createKey, keyHash, type NewKey, removeKey, replaceKey } from './file/keys.ts'
export { type NamedPackages, peekPackages } from './file/peek.ts'
export { publishSchemas } from './file/publish.ts'
export { createFileContext, type FileResult, readConfigFile, readFileText } from './file/read-file.ts'
export { remoteServerSecrets } from './file/remote-servers.ts'
export { slugPattern } from './file/schema-limits.ts'
export { utcTime } from './file/time.ts'
export { configValidator, fileSchemas } from './file/validate.ts'
export { fillTarget } from './fill-target.ts'
export { compileMandatory, joinMandatory, noMandatoryHooks, withMandatory } from './mandatory.ts'
export { checkMappedHeaders, mappedHeaders } from './mapped-headers.ts'
export { atModelHost } from './model-host.ts'
export { nearestParams, overrideBody, removedNames } from './override-body.ts'
export { requireOwnHost, strangeAddresses } from './own-identity.ts'
export type { Config } from './schema.ts'
export {
  credentialOf,
  headersOf,
  type MappedSecrets,
  mappedPlaceholder,
  type OpenedCredential,
} from './stored-credential.ts'
export { checkUse, fileProviders } from './stored-provider.ts'
export { createTarget, hasSecret, secretsOf, secretTexts, settingsOf, trimSlashes } from './target.ts'
export { addressMatcher, isListed, parseRange, parseTrustedHost, type TrustedRange } from './trusted-hosts.ts'
