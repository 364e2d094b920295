/** Bodies, queries and answers of the models of an integration (management contract, section 11). */

import { pricingAdjustmentsSchema, pricingConfigSchema } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { nullable } from '../engine/index.ts'

const modelMembers = {
  name: nullable(Type.String({ maxLength: 255 })),
  base_model_slug: nullable(Type.String({ minLength: 1, maxLength: 255 })),
  pricing_config: nullable(pricingConfigSchema),
  pricing_adjustments: nullable(pricingAdjustmentsSchema),
}

const modelInput = Type.Object(
  {
    slug: Type.String({ minLength: 1, maxLength: 255 }),
    enabled: Type.Boolean(),
    name: Type.Optional(modelMembers.name),
    is_custom: Type.Optional(Type.Boolean()),
    is_finetune: Type.Optional(Type.Boolean()),
    base_model_slug: Type.Optional(modelMembers.base_model_slug),
    configurations: Type.Optional(
      nullable(
        Type.Object(
          {
            custom_host: Type.Optional(Type.String({ maxLength: 2048 })),
            custom_headers: Type.Optional(
              Type.Record(Type.String({ minLength: 1 }), Type.String({ maxLength: 8192 })),
            ),
          },
          { additionalProperties: false },
        ),
      ),
    ),
    pricing_config: Type.Optional(modelMembers.pricing_config),
    pricing_adjustments: Type.Optional(modelMembers.pricing_adjustments),
    object: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

const modelAnswer = Type.Object(
  {
    object: Type.Literal('integration-model'),
    slug: Type.String(),
    enabled: Type.Boolean(),
    is_custom: Type.Boolean(),
    is_finetune: Type.Boolean(),
    configurations: nullable(Type.Object({}, { additionalProperties: true })),
    ...modelMembers,
  },
  { additionalProperties: false },
)

export const listAnswer = Type.Object(
  {
    object: Type.Literal('list'),
    total: Type.Integer(),
    models: Type.Array(modelAnswer),
    data: Type.Array(modelAnswer),
    allow_all_models: Type.Boolean(),
    integration_id: Type.String(),
    ai_provider_id: Type.String(),
  },
  { additionalProperties: false },
)

export const updateBody = Type.Object(
  {
    models: Type.Array(modelInput, { maxItems: 5000 }),
    allow_all_models: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

export const removeBody = Type.Object(
  { slugs: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 5000 })) },
  { additionalProperties: false },
)

export const listQuery = Type.Object({
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  enabled: Type.Optional(Type.Boolean()),
})

export const removeQuery = Type.Object({ slugs: Type.Optional(Type.String()) })
