/** File objects (interface specification, File) and their requests. */
import { Type } from '@sinclair/typebox'
import type { FormRules } from './uploads.ts'

const open = { additionalProperties: true }
const nullable = (type: string) => Type.Unsafe({ type: [type, 'null'] })

/** Purposes of uploads; outputs of batches and jobs have others. */
export const uploadPurposes = ['assistants', 'batch', 'fine-tune', 'vision'] as const

export const fileUpload = Type.Object(
  {
    purpose: Type.Unsafe({ type: 'string', enum: [...uploadPurposes] }),
    expires_after: Type.Optional(
      Type.Object({
        anchor: Type.Literal('created_at'),
        seconds: Type.Integer({ minimum: 3600, maximum: 2_592_000 }),
      }),
    ),
    gateway_options: Type.Optional(
      Type.String({ description: 'A JSON object of gateway headers; must come before the file.' }),
    ),
  },
  open,
)

export const fileForm: FormRules = { files: [{ field: 'file', least: 1, most: 1 }], orJson: false }

export const fileAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('file'),
    bytes: Type.Integer(),
    created_at: Type.Integer(),
    expires_at: nullable('integer'),
    filename: Type.String(),
    purpose: Type.String(),
    status: Type.Unsafe({ type: 'string', enum: ['uploaded', 'processed', 'error'] }),
    status_details: nullable('string'),
  },
  { ...open, title: 'File' },
)

export const listOf = (item: object) =>
  Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(Type.Unsafe(item)),
      has_more: Type.Boolean(),
      first_id: nullable('string'),
      last_id: nullable('string'),
    },
    open,
  )

export const fileList = listOf(fileAnswer)

export const fileQuery = Type.Object({
  purpose: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  after: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  order: Type.Optional(Type.Unsafe({ type: 'string', enum: ['asc', 'desc'] })),
})

export const fileDeletion = Type.Object({
  id: Type.String(),
  object: Type.Literal('file'),
  deleted: Type.Literal(true),
})
