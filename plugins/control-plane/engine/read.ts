/** GET of one object. */
import type { Capability, JsonObject, ServiceAnswer } from '@gateway/contract'
import type { Call } from './call.ts'
import { checkOrganisation } from './create-call.ts'
import { statusesOf } from './list.ts'
import { locate } from './locate.ts'
import { present } from './present.ts'
import type { Resource } from './resource.ts'
import { answerOne } from './versions.ts'

export const readDocument = <Need extends Capability>(
  resource: Resource<JsonObject, Need>,
  call: Call<Need>,
  name: string,
): Promise<ServiceAnswer> => read(resource as Resource, call, name)

async function read(resource: Resource, call: Call, name: string): Promise<ServiceAnswer> {
  const { status } = call.query
  const asked = status === undefined ? [] : statusesOf(resource, status)
  const document = await locate(resource, call, {
    actions: ['read'],
    name: withoutVersion(resource, name),
    ...(asked.includes('archived') ? { archived: asked.length === 1 ? 'only' : 'also' } : {}),
  })
  await resource.hooks?.authorise?.(call, 'read', document)
  await checkOrganisation(call, call.request.query.organisation_id, 'query/organisation_id')
  await resource.hooks?.preload?.([document], call)
  return answerOne(call.request, document.version, await present(resource, document, { call, view: 'one' }))
}

function withoutVersion({ hasVersions = false }: Resource, name: string): string {
  if (hasVersions === 'named') return name.replace(/@.*$/s, '')
  return hasVersions ? name.replace(/@\d+$/, '') : name
}
