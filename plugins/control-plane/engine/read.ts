/** GET of one object. */
import type { ServiceAnswer } from '@gateway/core/contract'
import type { Call } from './call.ts'
import { checkOrganisation } from './create-call.ts'
import { answerOne } from './etag.ts'
import { locate } from './locate.ts'
import { present } from './present.ts'
import { commaList } from './query.ts'
import type { Resource } from './resource.ts'

export async function readDocument(resource: Resource, call: Call, name: string): Promise<ServiceAnswer> {
  const { query } = call.request
  const isArchivedAsked = commaList(query.status ?? '').includes('archived')
  const document = await locate(resource, call, {
    actions: ['read'],
    name: resource.hasVersions === true ? name.replace(/@\d+$/, '') : name,
    ...(isArchivedAsked ? { archived: 'only' as const } : {}),
  })
  await resource.hooks?.authorise?.(call, 'read', document)
  await checkOrganisation(call, query.organisation_id, 'query/organisation_id')
  await resource.hooks?.preload?.([document], call)
  return answerOne(call.request, document.version, await present(resource, document, call, 'one'))
}
