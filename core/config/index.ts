/**
 * `@gateway/config`: routing configs, saved or in a header, and credentials: their compilation, inheritance, and the
 * targets that a request can use. The config file and the schema of routing configs are in `@gateway/config-file`, types
 * of compiled configs in `@gateway/flow`.
 */
export { checkCredential } from './check-credential.ts'
export { compileConfig } from './compile.ts'
export { compileFileCredentials, storedSettings } from './file-credentials.ts'
export { fillTarget } from './fill-target.ts'
export { compileInline, savedId } from './inline-config.ts'
export { compileMandatory, joinMandatory, noMandatoryHooks, withMandatory } from './mandatory.ts'
export { checkMappedHeaders, mappedHeaders } from './mapped-headers.ts'
export { atModelHost } from './model-host.ts'
export { nearestParams, overrideBody, removedNames } from './override-body.ts'
export { requireOwnHost, strangeAddresses } from './own-identity.ts'
export {
  credentialOf,
  headersOf,
  type MappedSecrets,
  mappedPlaceholder,
  type OpenedCredential,
} from './stored-credential.ts'
export { checkUse, fileProviders } from './stored-provider.ts'
export { createTarget, hasSecret, secretsOf, settingsOf, trimSlashes } from './target.ts'
