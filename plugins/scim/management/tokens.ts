/** SCIM tokens, with which identity providers authenticate (management contract, section 9). */
import { createHash, randomBytes } from 'node:crypto'
import { defineResource, forbidden, nullable, type Resource, type Write } from '@gateway/control-plane/engine'
import { hashKeyOf, kinds, type ScimTokenData } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'

const tokenBytes = 30
const text: TSchema = Type.String({ minLength: 1, maxLength: 64 })

export const scimTokens: Resource = defineResource<ScimTokenData>({
  kind: kinds.scimToken,
  object: 'scim-token',
  title: 'SCIM token',
  tag: 'SCIM',
  operation: 'scimToken',
  path: '/scim/tokens',
  level: 'organisation',
  families: [{ family: 'scim_mappings' }],
  slug: null,
  operations: ['create', 'list', 'read', 'delete'],
  fields: { expires_at: { schema: text, answer: nullable(Type.String()) } },
  answers: {
    masked_key: Type.String(),
    token: Type.Optional(Type.String({ description: 'The token. Only this answer contains it.' })),
  },
  hooks: {
    prepare: prepareToken,
    keys: ({ data }) => [hashKeyOf(data.token_hash)],
    present: ({ data }) => ({ masked_key: `${data.first}****${data.last}` }),
  },
})

async function prepareToken({ action, call, draft, fault, shown }: Write<ScimTokenData>): Promise<void> {
  if (action !== 'create') return
  // The token can provision people, so its creator must have that right.
  if (!(await call.holds('scim.provision', null))) {
    throw forbidden('A SCIM token has the scope scim.provision, which your credential does not have.')
  }
  const { expires_at: written } = draft.data
  if (written !== null) {
    const at = Date.parse(written)
    if (Number.isNaN(at)) fault('/expires_at', 'must be an ISO 8601 time such as 2027-01-31T12:00:00Z')
    else if (at <= call.nowMs) fault('/expires_at', 'must be in the future')
    else draft.data.expires_at = new Date(at).toISOString()
  }
  const token = `gwscim_${randomBytes(tokenBytes).toString('base64url')}`
  Object.assign(draft.data, {
    token_hash: createHash('sha256').update(token).digest('hex'),
    first: token.slice(0, 3),
    last: token.slice(-4),
  } satisfies Partial<ScimTokenData>)
  shown.token = token
}
