/**
 * The `data` of stored documents, by kind. The `keys` of documents with a slug include `slug:SCOPE/SLUG`, where SCOPE
 * is the workspace, otherwise the organisation.
 */
export type * from './api-keys.ts'
export type * from './configs.ts'
export type * from './data-by-kind.ts'
export type * from './integrations.ts'
export * from './kinds.ts'
export type * from './mail.ts'
export type * from './organisations.ts'
export type * from './people.ts'
export type * from './policies.ts'
export type * from './prompts.ts'
export type * from './remote-servers.ts'
export type * from './scim.ts'
export type * from './shared.ts'
export type * from './webhooks.ts'
