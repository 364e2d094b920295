/**
 * `@gateway/core/domain`: what core, the stores and the service packages share, and authors of plugins do not need:
 * stored entities, access rights, limits, prices.
 */
export * from './access.ts'
export * from './access-settings.ts'
export * from './audit/changes.ts'
export * from './audit/record.ts'
export * from './auth-settings.ts'
export * from './derived-id.ts'
export * from './document-query.ts'
export * from './entities/index.ts'
export * from './events.ts'
export * from './limits/counter-use.ts'
export * from './limits.ts'
export * from './listeners.ts'
export * from './logs/index.ts'
export * from './policy-keys.ts'
export * from './pricing.ts'
export * from './prompt-templates/index.ts'
export * from './retention.ts'
export * from './secrets/index.ts'
export * from './typed-documents.ts'
export { unknownName } from './unknown-name.ts'
