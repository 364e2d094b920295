/**
 * Providers (management contract, section 12): an integration in a workspace, with its own limits, addressed as
 * `@slug`. `/virtual-keys` serves the same objects (virtual-keys.ts).
 */

import { kinds, type ProviderData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { defineResource, type Field, nullable, type Write } from '../engine/index.ts'
import { providerAttributes } from '../integrations/index.ts'
import {
  rateLimitsAnswer,
  rateLimitsInput,
  tagsFilter,
  tagsSchema,
  usageLimitsAnswer,
  usageLimitsInput,
} from '../shared/index.ts'
import { configsNaming, exhaustedProviders, presentProvider } from './present.ts'
import { archiveHidden, takeCommon, takeIntegration } from './write.ts'

/** The fields of providers and of virtual keys. */
export const providerFields: Readonly<Record<string, Field>> = {
  note: { schema: Type.String({ maxLength: 1024 }) },
  usage_limits: { schema: usageLimitsInput, answer: usageLimitsAnswer },
  rate_limits: { schema: rateLimitsInput, answer: rateLimitsAnswer },
  expires_at: { schema: Type.String({ maxLength: 40 }) },
  tags: { schema: tagsSchema },
  reset_usage: { schema: Type.Boolean(), writable: 'update', isTransient: true },
}

export const providerAnswers = { provider: Type.String(), last_reset_at: nullable(Type.String()) }

export const providerFilters = {
  provider: { schema: Type.String(), attribute: 'ai_provider_id' },
  integration_id: { schema: Type.String(), attribute: 'integration_id' },
  tags: tagsFilter,
}

export const providerStatuses = ['active', 'exhausted', 'expired', 'archived'] as const

export const providers = defineResource<ProviderData, 'counters'>({
  kind: kinds.provider,
  object: 'provider',
  title: 'provider',
  tag: 'Providers',
  operation: 'provider',
  path: '/providers',
  level: 'workspace',
  families: [{ family: 'providers' }],
  slug: { prefix: '' },
  fields: {
    integration_id: { schema: Type.String({ minLength: 1 }), isRequired: true },
    ...providerFields,
  },
  answers: providerAnswers,
  filters: providerFilters,
  statuses: providerStatuses,
  hooks: {
    prepare,
    attributes: ({ data }) => providerAttributes(data),
    present: presentProvider,
    exhausted: exhaustedProviders,
    inUse: configsNaming,
  },
})

async function prepare(write: Write<ProviderData, 'counters'>): Promise<void> {
  if (write.action === 'archive') return archiveHidden(write)
  const { body } = write
  if (typeof body.integration_id === 'string') await takeIntegration(write, body.integration_id)
  await takeCommon(write)
}
