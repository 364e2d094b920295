/** What happened, as services emit it and hear of it. */
import type { JsonObject } from '../json.ts'

/** Something that happened, for webhooks and mail; without secrets and without texts of callers. */
export interface GatewayEvent {
  /** Such as `batch.completed`. */
  type: string
  organisation_id: string
  /** Null for what belongs to the whole organisation. */
  workspace_id: string | null
  data: JsonObject
}

/** A line that a usage limit has crossed, once a period. */
export interface LimitAlert {
  event: 'threshold' | 'exhausted'
  /** As errors name it: whose limit it is. */
  limit: string
  /** The group of a policy; null for a limit without groups. */
  valueKey: string | null
  type: 'requests' | 'tokens' | 'cost'
  creditLimit: number
  alertThreshold: number | null
  currentUsage: number
  organisationId: string
  workspaceId: string | null
}

/** All that is told of a JWT that was refused. */
export interface RefusedToken {
  masked: string
  /** Whose rules refused it; null where it named no organisation that is known. */
  organisationId: string | null
}
