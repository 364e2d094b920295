/** The query of lists that belong to one object. */
import { Type } from '@sinclair/typebox'

export const pageQuery = Type.Object({
  current_page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
})
