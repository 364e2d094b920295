/** Sessions of the organisation's users (management contract, section 8): reading and ending them. */

import { kinds, type SessionData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, defineResource, forbidden, notFound, type Resource } from '../engine/index.ts'
import { lastUses } from '../shared/index.ts'
import { endSessions } from './end-sessions.ts'
import { presentSession, sessionAttributes, sessionSchema } from './session-data.ts'

const seenKey = (id: string) => `session ${id}`
const { object: _, id: __, ...members } = sessionSchema.properties

export const sessions: Resource = defineResource<SessionData>({
  kind: kinds.session,
  object: 'session',
  title: 'session',
  tag: 'Sessions',
  operation: 'session',
  path: '/sessions',
  level: 'organisation',
  families: [{ family: 'sessions' }],
  slug: null,
  hasCommonFields: false,
  operations: ['list', 'delete'],
  fields: {},
  answers: members,
  filters: { user_id: { schema: Type.String(), attribute: 'user_id' } },
  hooks: {
    attributes: ({ data }) => sessionAttributes(data),
    ownerId: ({ data }) => data.user_id,
    async preload(documents, call) {
      const seen = await lastUses(
        documents.map(({ id }) => id),
        call,
      )
      for (const { id } of documents) call.memory.set(seenKey(id), seen.get(id) ?? null)
    },
    present: async (document, call) =>
      presentSession(document, {
        organisation: (await call.organisation()).data,
        lastSeenAt: (call.memory.get(seenKey(document.id)) ?? null) as string | null,
        isCurrent: call.identity.sessionId === document.id,
      }),
  },
  routes: [
    {
      method: 'DELETE',
      path: '',
      operationId: 'sessionDeleteAll',
      summary: 'Ends all sessions of a user',
      action: 'delete',
      auditAction: 'delete',
      isBodyOptional: true,
      query: Type.Object({ user_id: Type.String({ minLength: 1 }) }),
      answer: Type.Object({
        object: Type.Literal('session'),
        user_id: Type.String(),
        deleted: Type.Literal(true),
        count: Type.Integer(),
      }),
      handle: endAll,
    },
  ],
})

async function endAll(call: Call) {
  const userId = String(call.query.user_id)
  const reach = await call.reach('sessions.delete', null)
  if (reach !== 'all' && userId !== call.identity.userId) {
    throw forbidden("You cannot end another user's sessions.", 'query/user_id')
  }
  const user = await call.documents.get(kinds.user, userId)
  if (user === null || user.organisation_id !== call.organisationId) throw notFound('query/user_id', 'user')
  const writes = await endSessions(call.documents, userId, call.nowMs)
  await call.commit(writes, {
    action: 'delete',
    resource_type: 'session',
    resource_id: null,
    details: { user_id: userId },
  })
  return { object: 'session', user_id: userId, deleted: true, count: writes.length }
}
