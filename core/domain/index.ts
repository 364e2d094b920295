/**
 * `@gateway/domain`: data and rules that core, the stores and the service packages share, and plugin authors do not
 * need: stored documents and their secrets, access rights, limits and counters, prices, log entries, audit records,
 * events, prompt templates, network addresses.
 */
export {
  allScopes,
  classMayHold,
  classReach,
  equalScopes,
  expandScope,
  normaliseScope,
  type Reach,
  roleReach,
  type SettingReader,
  scopesOfClass,
  scopesOfRole,
  scopesOfUserKey,
} from './access.ts'
export {
  categoryOf,
  effectiveSettings,
  organisationSettings,
  overrideCategories,
  securityDefaults,
  settingDefaults,
  settingReader,
} from './access-settings.ts'
export { isSame } from './audit/changes.ts'
export { type AuditNote, type AuditSource, auditFilters, auditWrite } from './audit/record.ts'
export { authSettings, jwtSettings } from './auth-settings.ts'
export { createKey } from './create-key.ts'
export { credentialHeader, credentialKeys } from './credential-keys.ts'
export { childId, derivedId, usageGroupId } from './derived-id.ts'
export { compareDocuments, matchesDocument } from './document-query.ts'
export type { ApiKeyData, KeyTerms, ManagedKeyData } from './entities/api-keys.ts'
export type {
  ConfigData,
  GuardrailData,
  PluginSettingsData,
  RolloutData,
  RolloutMetric,
  VersionData,
} from './entities/configs.ts'
export type { DataOf, DocumentDataByKind, DocumentOf } from './entities/data-by-kind.ts'
export type {
  IntegrationAccessData,
  IntegrationData,
  IntegrationModel,
  ProviderData,
  SecretMapping,
  SecretReferenceData,
} from './entities/integrations.ts'
export {
  defaultWorkspaceId,
  firstOrganisationId,
  hashKeyOf,
  kinds,
  slugKey,
  versionKey,
} from './entities/kinds.ts'
export type { MailData } from './entities/mail.ts'
export type { OrganisationData, WorkspaceData } from './entities/organisations.ts'
export type { InviteData, MemberData, SessionData, UserData, WorkspaceRole } from './entities/people.ts'
export type {
  PolicyCondition,
  PolicyGroup,
  RateLimitPolicyData,
  UsageLimitPolicyData,
} from './entities/policies.ts'
export type {
  CollectionData,
  PromptContent,
  PromptData,
  PromptLabelData,
  PromptPartialContent,
  PromptPartialData,
  Versioned,
} from './entities/prompts.ts'
export type {
  McpCapabilityType,
  McpCatalogueData,
  RemoteIntegrationData,
  RemoteServerData,
} from './entities/remote-servers.ts'
export type { ScimGroupData, ScimMappingData, ScimTokenData } from './entities/scim.ts'
export type { Defaults, Limits, Multipliers, RateLimit, Tags, UsageLimit } from './entities/shared.ts'
export type {
  WebhookData,
  WebhookDeliveryData,
  WebhookFloodData,
  WebhookFormat,
} from './entities/webhooks.ts'
export { eventsOf, eventTypes, eventWrite, limitResets, snapshotOf } from './events.ts'
export {
  disabledGuardrail,
  type Guardrail,
  guardrailSchema,
  type Hook,
  hookSchema,
  reservedHookKeys,
} from './hooks.ts'
export { carriedAddress, isPublicAddress, parseAddress } from './ip-address.ts'
export { chargesOf, chargesOnce, isChargedOnce } from './limits/charges.ts'
export {
  groupCounterKey,
  limitOwners,
  rateCounterKey,
  usageCounterKey,
  usageCounterPrefix,
} from './limits/counter-keys.ts'
export {
  admitsReservation,
  bucketAt,
  type CounterHold,
  exactAmount,
  raiseUse,
  readUse,
  settleUse,
  slideUse,
  takenAmount,
  takeUse,
} from './limits/counter-use.ts'
export { isOpenWindow, rateWindows, windowEnd, windowOfLength } from './limits/rate-window.ts'
export { createSilenceWatch, silenceLimitMs } from './limits/silence-watch.ts'
export {
  listPolicyUsage,
  type PolicyUsage,
  readUsage,
  resetPolicyUsage,
  resetUsage,
  type UsageState,
  usageState,
} from './limits/usage.ts'
export { keptPeriod, rolledOver, usagePeriod } from './limits/usage-period.ts'
export { createWaitForAnswer, type WaitForAnswer } from './limits/wait-for-answer.ts'
export { listenerOf } from './listeners.ts'
export { aggregateEntries, metadataGroup } from './logs/aggregate.ts'
export {
  aggregateFields,
  columnKind,
  hiddenSources,
  isLogField,
  logFieldNames,
  maxLogNameChars,
} from './logs/columns.ts'
export {
  keptBody,
  keptHeaders,
  keptMetadata,
  keptSide,
  keptText,
  keptUrl,
  markOfMedia,
  mediaMark,
  readBody,
} from './logs/contents.ts'
export { binLimit, latencyBin, percentile } from './logs/latency.ts'
export { matchesEntry, searchNeedle } from './logs/match.ts'
export { type LogOutcome, logOutcome } from './logs/outcome.ts'
export { addTotals, bucketOf, createGroups, noTotals, totalNames } from './logs/totals.ts'
export { migrateOnce } from './migrate-once.ts'
export { nearestName } from './nearest-name.ts'
export {
  metadataPrefix,
  normalisePolicyEndpoint,
  type PolicyTarget,
  policyFaults,
  policyKeyOf,
} from './policy-keys.ts'
export {
  adjustedPrices,
  isPart,
  pricedModel,
  pricingAdjustmentsSchema,
  pricingConfigSchema,
} from './pricing.ts'
export { parseTemplate, type Template, type TemplateNode } from './prompt-templates/parse.ts'
export {
  type PromptKind,
  type PromptText,
  PromptTextError,
  parseMessages,
  parsePartialText,
  parsePromptText,
  partialFault,
  partialsIn,
  promptKindOf,
  refuseVerbatim,
  splitReference,
  templatesOf,
  variablesIn,
} from './prompt-templates/prompt-text.ts'
export { TemplateError } from './prompt-templates/template-error.ts'
export { eachRetention } from './retention.ts'
export { runsTools } from './runs-tools.ts'
export {
  mapSecrets,
  maskContent,
  openContent,
  recordOf,
  sealContent,
  sealedMembers,
  secretsIn,
} from './secrets/content.ts'
export {
  addressesIn,
  destinationOf,
  fillMasks,
  isAddressName,
  placedSecrets,
  resolveMasks,
  secretsOfChecks,
} from './secrets/destinations.ts'
export { hidden, isMasked, mask } from './secrets/mask.ts'
export { isSecretName } from './secrets/names.ts'
export { maskUrl, redact, redactUrl } from './secrets/redact.ts'
export { isMaskedMember, splitSecrets } from './secrets/split.ts'
export { slugPattern } from './slug.ts'
export { timeOfId, timeOrderedId } from './time-ordered-id.ts'
export { addressMatcher, isListed, parseRange, parseTrustedHost, type TrustedRange } from './trusted-hosts.ts'
export { isOfKind, type TypedDocuments, typedDocuments } from './typed-documents.ts'
export { guessOf, mustBeOneOf, unknownKey, unknownName } from './unknown-name.ts'
