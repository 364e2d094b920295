/** Batches (interface specification, Batch) and their requests. */
import { Type } from '@sinclair/typebox'
import { listOf } from './files.ts'

const open = { additionalProperties: true }
const nullable = (type: string) => Type.Unsafe({ type: [type, 'null'] })
const time = nullable('integer')

export const batchStates = [
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
] as const

export type BatchState = (typeof batchStates)[number]

/** Endpoints of the specification, which every batch may name. */
export const batchEndpoints = ['/v1/chat/completions', '/v1/completions', '/v1/embeddings'] as const

/** Further ones, for batches that the gateway runs itself. */
export const immediateEndpoints = [
  ...batchEndpoints,
  '/v1/responses',
  '/v1/moderations',
  '/v1/images/generations',
] as const

export const batchCreate = Type.Object(
  {
    input_file_id: Type.String({ minLength: 1, maxLength: 1024 }),
    completion_window: Type.Unsafe<'immediate' | '24h'>({ type: 'string', enum: ['immediate', '24h'] }),
    endpoint: Type.Unsafe<string>({ type: 'string', enum: [...immediateEndpoints] }),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, string> | null>({
        type: ['object', 'null'],
        maxProperties: 16,
        propertyNames: { maxLength: 64 },
        additionalProperties: { type: 'string', maxLength: 512 },
      }),
    ),
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    dry_run: Type.Optional(Type.Boolean()),
    output_expires_after: Type.Optional(
      Type.Object({
        anchor: Type.Literal('created_at'),
        seconds: Type.Integer({ minimum: 3600, maximum: 2_592_000 }),
      }),
    ),
    provider_options: Type.Optional(Type.Object({}, open)),
    gateway_options: Type.Optional(Type.Object({}, open)),
  },
  { additionalProperties: false },
)

const lineError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  param: nullable('string'),
  line: nullable('integer'),
})

export const batchAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('batch'),
    endpoint: Type.String(),
    errors: Type.Unsafe({
      type: ['object', 'null'],
      properties: { object: { const: 'list' }, data: { type: 'array', items: lineError } },
    }),
    input_file_id: Type.String(),
    completion_window: Type.String(),
    status: Type.Unsafe({ type: 'string', enum: [...batchStates] }),
    output_file_id: nullable('string'),
    error_file_id: nullable('string'),
    created_at: Type.Integer(),
    in_progress_at: time,
    expires_at: time,
    finalizing_at: time,
    completed_at: time,
    failed_at: time,
    expired_at: time,
    cancelling_at: time,
    cancelled_at: time,
    request_counts: Type.Object({
      total: Type.Integer(),
      completed: Type.Integer(),
      failed: Type.Integer(),
    }),
    metadata: nullable('object'),
  },
  { ...open, title: 'Batch' },
)

export const batchList = listOf(batchAnswer)

export const batchQuery = Type.Object({
  after: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
})

export const batchRetrieval = Type.Object({ include_provider_details: Type.Optional(Type.Boolean()) })
