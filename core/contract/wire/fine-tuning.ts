/** Fine-tuning jobs and checkpoints (interface specification), and their requests. */
import { Type } from '@sinclair/typebox'
import { listOf } from './files.ts'

const open = { additionalProperties: true }
const nullable = (type: string) => Type.Unsafe({ type: [type, 'null'] })

export const jobStates = [
  'validating_files',
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
] as const

export type JobState = (typeof jobStates)[number]

const numberOrAuto = Type.Optional(
  Type.Unsafe<number | 'auto'>({
    if: { type: 'string' },
    then: { const: 'auto' },
    else: { type: 'number', exclusiveMinimum: 0 },
    explain: 'must be a positive number, or auto',
  }),
)

const settings = Type.Optional(
  Type.Object(
    {
      hyperparameters: Type.Optional(
        Type.Object(
          { n_epochs: numberOrAuto, batch_size: numberOrAuto, learning_rate_multiplier: numberOrAuto },
          open,
        ),
      ),
    },
    open,
  ),
)

/** A new job as specified; jobs that the gateway runs require `suffix` and `method`. */
export const jobCreate = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 255 }),
    training_file: Type.String({ minLength: 1, maxLength: 1024 }),
    validation_file: Type.Optional(
      Type.Unsafe<string | null>({ type: ['string', 'null'], minLength: 1, maxLength: 1024 }),
    ),
    suffix: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    method: Type.Optional(
      Type.Object(
        {
          type: Type.Unsafe<'supervised' | 'dpo'>({ type: 'string', enum: ['supervised', 'dpo'] }),
          supervised: settings,
          dpo: settings,
        },
        open,
      ),
    ),
    seed: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'] })),
    integrations: Type.Optional(
      Type.Unsafe<object[] | null>({ type: ['array', 'null'], maxItems: 5, items: { type: 'object' } }),
    ),
  },
  open,
)

export const jobAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('fine_tuning.job'),
    created_at: Type.Integer(),
    error: Type.Unsafe({ type: ['object', 'null'] }),
    fine_tuned_model: nullable('string'),
    finished_at: nullable('integer'),
    hyperparameters: Type.Object({}, open),
    model: Type.String(),
    organization_id: Type.String(),
    result_files: Type.Array(Type.String()),
    status: Type.Unsafe({ type: 'string', enum: [...jobStates] }),
    trained_tokens: nullable('integer'),
    training_file: Type.String(),
    validation_file: nullable('string'),
    seed: Type.Integer(),
    integrations: nullable('array'),
    estimated_finish: nullable('integer'),
  },
  { ...open, title: 'FineTuningJob' },
)

export const jobList = listOf(jobAnswer)

export const jobEventList = listOf(
  Type.Object(
    {
      id: Type.String(),
      object: Type.Literal('fine_tuning.job.event'),
      created_at: Type.Integer(),
      level: Type.Unsafe({ type: 'string', enum: ['info', 'warn', 'error'] }),
      message: Type.String(),
    },
    open,
  ),
)

export const jobCheckpointList = listOf(
  Type.Object(
    {
      id: Type.String(),
      object: Type.Literal('fine_tuning.job.checkpoint'),
      created_at: Type.Integer(),
      fine_tuned_model_checkpoint: Type.String(),
      step_number: Type.Integer(),
      fine_tuning_job_id: Type.String(),
      metrics: Type.Object({}, open),
    },
    open,
  ),
)

export const jobQuery = Type.Object({
  after: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
})
