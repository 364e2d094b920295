/** Lists of tools, prompts and resources without disabled ones: from the last sync, or from the upstream. */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import type { McpCapabilityType } from '@gateway/domain'
import { isEnabled, isResourceEnabled } from '../capabilities.ts'
import type { Place } from '../directory.ts'
import { type RpcRequest, resultMessage } from '../messages.ts'
import { callUpstream } from './call-upstream.ts'
import { syncLater } from './sync-later.ts'
import type { Visit } from './visit.ts'
import { visitTarget } from './visit-target.ts'

type Member = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

interface ListOptions {
  member: Member
  type: McpCapabilityType
  key: 'name' | 'uri' | 'uriTemplate'
}

export async function* list(
  visit: Visit,
  request: RpcRequest,
  { member, type, key }: ListOptions,
): AsyncGenerator<JsonObject> {
  const { place } = visit
  if (isSynced(place)) {
    yield resultMessage(request.id, { [member]: knownOf(place, type) })
    return
  }
  syncLater(visit)
  for await (const message of callUpstream(visit, await visitTarget(visit), { request })) {
    if (message.method !== undefined) yield message
    else if (!isObject(message.result)) yield { ...message, id: request.id }
    else {
      const items = message.result[member]
      const shown = (Array.isArray(items) ? items : []).filter((item) => isShown(place, type, { item, key }))
      yield resultMessage(request.id, { ...message.result, [member]: shown })
    }
  }
}

const isShown = (
  place: Place,
  type: McpCapabilityType,
  { item, key }: { item: Json; key: string },
): boolean => isObject(item) && typeof item[key] === 'string' && isNameEnabled(place, type, item[key])

const isNameEnabled = (place: Place, type: McpCapabilityType, name: string): boolean =>
  type === 'resource' ? isResourceEnabled(place, name) : isEnabled(place, type, name)

/** Whether a sync has stored the capabilities, and they are the same for every caller. */
function isSynced({ integration, catalogue }: Pick<Place, 'integration' | 'catalogue'>): boolean {
  const { auth_type, configurations } = integration.data
  if (catalogue?.data.sync_status !== 'ok' || auth_type === 'oauth_auto') return false
  return configurations.user_identity_forwarding === undefined && configurations.forward_headers === undefined
}

/** Computed once per version of the server, its integration and its sync results. */
const shownLists = new WeakMap<Place, Map<McpCapabilityType, Json[]>>()

function knownOf(place: Place, type: McpCapabilityType): Json[] {
  const known = shownLists.get(place) ?? new Map<McpCapabilityType, Json[]>()
  shownLists.set(place, known)
  const found = known.get(type)
  if (found !== undefined) return found
  const made = (place.catalogue?.data.capabilities ?? [])
    .filter((one) => one.type === type && isNameEnabled(place, type, one.name))
    .map(({ definition }): Json => definition)
  known.set(type, made)
  return made
}
