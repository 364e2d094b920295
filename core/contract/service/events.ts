/** Events that services emit and receive. */
import type { JsonObject } from '../json.ts'

/** An event for webhooks and mail, without secrets and without texts of callers. */
export interface GatewayEvent {
  /** The event type, such as `batch.completed`. */
  type: string
  organisation_id: string
  /** Null for events of the whole organisation. */
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
  /** The organisation whose rules rejected it; null if the token names no known organisation. */
  organisationId: string | null
}
