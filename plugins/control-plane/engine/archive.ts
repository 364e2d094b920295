/** DELETE of one object: archives it and frees its slug. Refused while a live object uses it. */
import { isObject, type ServiceAnswer } from '@gateway/contract'
import type { Call } from './call.ts'
import { checkOrganisation } from './create-call.ts'
import { inUse } from './errors.ts'
import { locate } from './locate.ts'
import { refuseDeclared } from './refuse-declared.ts'
import type { Resource } from './resource.ts'
import { checkIfMatch, untilUncontested } from './versions.ts'
import { commitWrite, prepareWrite, writerOf } from './write.ts'

export const archiveDocument = (resource: Resource, call: Call, name: string): Promise<ServiceAnswer> =>
  untilUncontested(call, resource.title, () => archiveOnce(resource, call, name))

async function archiveOnce(resource: Resource, call: Call, name: string): Promise<ServiceAnswer> {
  const before = await locate(resource, call, { actions: ['delete'], name })
  await resource.hooks?.authorise?.(call, 'delete', before)
  await checkOrganisation(call, call.request.query.organisation_id, 'query/organisation_id')
  refuseDeclared(resource, call, before)
  checkIfMatch(call.request, before.version)
  const users = (await resource.hooks?.inUse?.(before, call)) ?? []
  if (users.length > 0) throw inUse(resource.title, users)
  const { version: _, ...rest } = before
  const write = await prepareWrite(resource, {
    action: 'archive',
    body: isObject(call.sent) ? call.sent : {},
    before,
    call,
    draft: {
      ...rest,
      status: 'archived',
      last_updated_at: Math.max(call.nowMs, before.last_updated_at),
      keys: [],
      attributes: { ...before.attributes },
      data: { ...before.data, updated_by: writerOf(call) },
    },
  })
  await commitWrite(resource, write)
  return { status: 200, body: { id: before.id, object: resource.object, deleted: true, ...write.shown } }
}
