/** Queries, for the OpenAPI document; what they hold is read by paging.ts and projection.ts. */
import { Type } from '@sinclair/typebox'

const projection = {
  attributes: Type.Optional(Type.String({ description: 'The attributes to answer, separated by commas.' })),
  excludedAttributes: Type.Optional(
    Type.String({ description: 'The attributes not to answer, separated by commas.' }),
  ),
}

export const oneQuery = Type.Object(projection)

export const listQuery = Type.Object({
  filter: Type.Optional(Type.String({ description: 'As in RFC 7644, section 3.4.2.2; at most 4 KiB.' })),
  startIndex: Type.Optional(Type.Integer({ description: 'The first one to answer, from 1.' })),
  count: Type.Optional(Type.Integer({ description: 'How many at most; 0 to 1000, default 100.' })),
  ...projection,
})
