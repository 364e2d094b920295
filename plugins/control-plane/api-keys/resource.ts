/** API keys (management contract, section 10): three classes, one resource. */
import type { JsonObject } from '@gateway/contract'
import { kinds, type ManagedKeyData } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import { commaListOf, defineResource, description, type Resource } from '../engine/index.ts'
import {
  allowedIpsSchema,
  defaultsSchema,
  exhaustedIds,
  rateLimitsAnswer,
  rateLimitsInput,
  usageLimitsAnswer,
  usageLimitsInput,
  usesOf,
} from '../shared/index.ts'
import { secretKeys, statusOf } from './data.ts'
import { dueDays } from './due.ts'
import { rotationPolicyAnswer, rotationPolicySchema } from './policy.ts'
import { prepareKey, resetAfter } from './prepare.ts'
import { preloadKeys, presentKey } from './present.ts'
import { rotationRoutes } from './rotation.ts'
import { secretFilters } from './secret-filters.ts'

const oneOf = (...names: string[]): TSchema => Type.Unsafe<string>({ type: 'string', enum: names })
const nullableText = Type.Union([Type.String(), Type.Null()])

const keyClasses = ['organisation-service', 'workspace-service', 'workspace-user'] as const
const keyClass = oneOf(...keyClasses)
const email = Type.String({ maxLength: 255, pattern: '^[^@\\s]+@[^@\\s]+$' })

type Need = 'counters' | 'isAddressRange' | 'keyPrefix'

export const apiKeys: Resource<JsonObject, Need> = defineResource<ManagedKeyData, Need>({
  kind: kinds.apiKey,
  object: 'api-key',
  title: 'API key',
  tag: 'API keys',
  operation: 'apiKey',
  path: '/api-keys',
  aliases: ['/api-keys'],
  level: 'either',
  families: [
    {
      family: 'organisation_service_api_keys',
      level: 'organisation',
      attribute: { type: 'organisation-service' },
    },
    { family: 'workspace_service_api_keys', level: 'workspace', attribute: { type: 'workspace-service' } },
    { family: 'workspace_user_api_keys', level: 'workspace', attribute: { type: 'workspace-user' } },
  ],
  slug: null,
  fields: {
    description: { schema: description },
    type: { schema: keyClass, isRequired: true, writable: 'create' },
    user_id: {
      schema: Type.String({ pattern: '^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$' }),
      writable: 'create',
    },
    scopes: {
      schema: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 300 }),
      isRequired: true,
    },
    usage_limits: { schema: usageLimitsInput, answer: usageLimitsAnswer },
    rate_limits: { schema: rateLimitsInput, answer: rateLimitsAnswer },
    defaults: { schema: defaultsSchema, merge: 'one', replaced: ['metadata'] },
    alert_emails: { schema: Type.Array(email, { maxItems: 20 }), default: [] },
    allowed_ips: { schema: allowedIpsSchema },
    expires_at: { schema: Type.String({ maxLength: 40 }) },
    rotation_policy: { schema: rotationPolicySchema, merge: 'one', answer: rotationPolicyAnswer },
    reset_usage: { schema: Type.Boolean(), writable: 'update', isTransient: true },
  },
  answers: {
    key: Type.String({ description: 'The secret. Only the answer to the creation contains it.' }),
    masked_key: nullableText,
    prefix: nullableText,
    creation_mode: Type.Union([oneOf('ui', 'api', 'auto'), Type.Null()]),
    last_used_at: nullableText,
    last_rotated_at: nullableText,
    key_transition_expires_at: nullableText,
    last_reset_at: nullableText,
    default_config_slug: nullableText,
  },
  filters: {
    type: { schema: commaListOf(...keyClasses), attribute: 'type' },
    user_id: { schema: Type.String(), attribute: 'user_id' },
    ...secretFilters,
    due: {
      schema: Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}(,\\d{4}-\\d{2}-\\d{2}){0,30}$',
        description: 'UTC days, of which the key expires, rotates or is warned of on one.',
      }),
      attribute: 'due',
    },
  },
  statuses: ['active', 'exhausted', 'expired', 'archived'],
  writableStatuses: ['active', 'archived'],
  hooks: {
    prepare: prepareKey,
    after: resetAfter,
    attributes: (document) => ({
      type: [document.data.type],
      due: dueDays(document),
      ...usesOf(document.data.defaults),
    }),
    keys: ({ data }) => secretKeys(data),
    ownerId: ({ data }) => data.user_id,
    preload: preloadKeys,
    present: presentKey,
    exhausted: (call) =>
      exhaustedIds(
        { kind: kinds.apiKey, owner: 'apiKey', isLive: (key, nowMs) => statusOf(key, nowMs) === 'active' },
        call,
      ),
  },
  routes: rotationRoutes(() => apiKeys),
})
