/** Events that services emit and receive. */
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

/** A threshold that a usage limit has crossed; at most once per period. */
export interface LimitAlert {
  event: 'threshold' | 'exhausted'
  /** The owner of the limit, as in error messages. */
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

/** The reported details of a rejected JWT. */
export interface RefusedToken {
  masked: string
  /** The organisation whose rules rejected it; null when it named no known organisation. */
  organisationId: string | null
}
