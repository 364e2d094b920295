/**
 * Who calls, and under which configuration: authenticates keys, sessions, JWTs and SCIM tokens; merges a workspace's
 * stored documents with the config file; seals stored secrets with the master key, and fetches those of secret
 * managers.
 */
export { checkAccess, hasScope, isBetweenWorkspaces } from './identity/admission.ts'
export { createFileKeys } from './identity/file-keys.ts'
export { type Identities, keyClaim, openIdentities } from './identity/identities.ts'
export { createKeySets } from './identity/jwks.ts'
export { organisationRefusing } from './identity/jwt-callers.ts'
export { createKeyRing, type Key, type KeyRing, noDefaults } from './identity/key-ring.ts'
export { checkMasterKey, claimMasterKey, replaceFingerprint, sealedTexts } from './secrets/key-fingerprint.ts'
export { forgetPreviousKey, masterKeyPath, replaceMasterKey } from './secrets/master-key.ts'
export { migrateDocument, migrateSecrets } from './secrets/migrate.ts'
export { openSealer } from './secrets/open-sealer.ts'
export { createSealer, type MasterSealer } from './secrets/sealer.ts'
export { createSecretValues, type SecretValues } from './secrets/secret-values.ts'
export { checkDataPlane } from './workspaces/data-plane.ts'
export type { WorkspaceDocuments } from './workspaces/read-documents.ts'
export { findFileConfig } from './workspaces/stored-configs.ts'
export { createWorkspaces, type Workspaces } from './workspaces/workspaces.ts'
