/** Query parameters for the OpenAPI document; paging.ts and projection.ts parse them. */
import { Type } from '@sinclair/typebox'

const projection = {
  attributes: Type.Optional(Type.String({ description: 'The attributes to return, separated by commas.' })),
  excludedAttributes: Type.Optional(
    Type.String({ description: 'The attributes not to return, separated by commas.' }),
  ),
}

export const oneQuery = Type.Object(projection)

export const listQuery = Type.Object({
  filter: Type.Optional(
    Type.String({ description: 'A filter as defined in RFC 7644, section 3.4.2.2; at most 4 KiB.' }),
  ),
  startIndex: Type.Optional(
    Type.Integer({ description: 'The position of the first resource to return, from 1.' }),
  ),
  count: Type.Optional(
    Type.Integer({ description: 'The maximum number of resources to return: 0 to 1000, default 100.' }),
  ),
  ...projection,
})
