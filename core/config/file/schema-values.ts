/** Value schemas shared by several sections of the config file: sizes, ports, times, URLs. */
import { Type } from '@sinclair/typebox'
import { text } from './schema-limits.ts'
import { sizePattern } from './size.ts'

export const size = (fallback: string) =>
  Type.Optional(
    Type.Unsafe<string | number>({
      type: ['string', 'integer'],
      pattern: sizePattern,
      minimum: 1,
      default: fallback,
      explain: 'must be a size such as 25mb, or a number of bytes',
    }),
  )
export const port = (options: object = {}) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, ...options }))
export const days = Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 }))
export const milliseconds = (fallback: number, minimum: number) =>
  Type.Optional(Type.Integer({ minimum, maximum: 86_400_000, default: fallback }))
export const url = (schemes: string, what: string) =>
  text({ pattern: `^${schemes}:`, explain: `must be ${what}` })
export const httpUrl = url('https?', 'an http or https URL')
