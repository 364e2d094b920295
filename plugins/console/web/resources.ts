/**
 * Every kind of object in the console: API path, columns, fields. Contains only data; each subject is a file of
 * `resources/`.
 */
import type { Row } from './api.ts'
import type { Resource } from './resources/declare.ts'
import { keyFamilies, keys } from './resources/keys.ts'
import {
  agentIntegrations,
  agentServers,
  collections,
  labels,
  mcpIntegrations,
  mcpServers,
  partials,
  secretReferences,
} from './resources/more.ts'
import { exports, users, webhooks, workspaces } from './resources/organisation.ts'
import { rateLimitPolicies, usagePolicies } from './resources/policies.ts'
import { configs, guardrails, prompts, providers } from './resources/routing.ts'

export type { FieldSpec, MemberSpec, PartSpec, Resource } from './resources/declare.ts'

/** Resources in the order of the navigation. */
export const resources: readonly Resource[] = [
  keys,
  providers,
  configs,
  prompts,
  guardrails,
  usagePolicies,
  rateLimitPolicies,
  workspaces,
  users,
  webhooks,
  exports,
  partials,
  labels,
  collections,
  secretReferences,
  mcpIntegrations,
  mcpServers,
  agentIntegrations,
  agentServers,
]

/** The name under which an object is shown. */
export const nameOf = ({ nameOf: own }: Pick<Resource, 'nameOf'>, row: Row): string =>
  own?.(row) ?? String(row.name ?? row.slug ?? row.id)

/** The scopes for an action. A family that already contains an action is itself a scope. */
export const scopesFor = (
  { families }: Pick<Resource, 'families'>,
  action: 'list' | 'read' | 'create' | 'update' | 'delete' | 'rotate',
): string[] => families.map((family) => (family.includes('.') ? family : `${family}.${action}`))

/** The scopes for API keys of any type. */
export const keyScopes = (action: Parameters<typeof scopesFor>[1]): string[] =>
  scopesFor({ families: keyFamilies }, action)
