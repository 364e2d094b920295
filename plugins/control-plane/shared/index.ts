/**
 * Rules that several subjects apply alike: limits, defaults, roles and grants, tags, versions, references that block a
 * deletion, secrets that a write keeps; the outbox and mail. Other folders import only this file.
 */
export { allowedIpsSchema, readAllowedIps } from './allowed-ips.ts'
export { atOpening } from './at-opening.ts'
export { referencesOf, shadowOf } from './config-references.ts'
export { configsUsing } from './config-users.ts'
export {
  applyMetadataSchema,
  checkMetadataSchema,
  checkReferences,
  completeDefaults,
  noDefaults,
} from './defaults.ts'
export { exhaustedIds } from './exhausted.ts'
export { forgetOld } from './forget-old.ts'
export { checkRoleGrant, lackedScope } from './grants.ts'
export { isKeptElsewhere, isStrayMask } from './kept-secrets.ts'
export { lastUses } from './last-uses.ts'
export {
  loadUsage,
  parseTime,
  presentLimits,
  rateLimitsAnswer,
  rateLimitsInput,
  readRateLimits,
  readUsageLimits,
  usageLimitsAnswer,
  usageLimitsInput,
} from './limits.ts'
export { createMailListener, createMailSender, inviteMail } from './mail/index.ts'
export { isMoved, keptSecrets, type MemberWrite, mergeMembers, strayMasks } from './member-secrets.ts'
export { createOutbox, unlessOvertaken } from './outbox.ts'
export { pageQuery } from './page.ts'
export { isOwner, organisationRoles, readRole, readRoles, workspaceRoles } from './roles.ts'
export {
  authSettingsSchema,
  defaultsSchema,
  settingsSchema,
  workspaceDefaultsSchema,
  workspaceSettingsSchema,
} from './settings-schema.ts'
export { tagAttributes, tagsFilter, tagsSchema } from './tags.ts'
export { defaultsName, findUsers, usersByDefault, usesOf } from './users-of.ts'
export { askedVersion, findVersion, listVersions, versionWrite } from './versions.ts'
