/**
 * Bodies for services with their own format: Slack's incoming webhooks (docs.slack.dev/messaging), Adaptive Cards for
 * workflows of Microsoft Teams, and PagerDuty's Events API v2 (developer.pagerduty.com).
 */
import type { Json, JsonObject } from '@gateway/contract'
import type { WebhookFormat } from '@gateway/domain'

export interface EventPayload {
  id: string
  type: string
  created_at: string
  organisation_id: string
  workspace_id: string | null
  data: JsonObject
}

/** The longest value shown. Nested objects are only in the standard format. */
const longestValue = 200

function factsOf({ workspace_id, data }: EventPayload): [string, string][] {
  const facts: [string, Json | null | undefined][] = [['workspace', workspace_id], ...Object.entries(data)]
  return facts
    .filter(([, value]) => value !== null && value !== undefined && typeof value !== 'object')
    .slice(0, 20)
    .map(([name, value]) => [name, String(value).slice(0, longestValue)])
}

const textOf = (payload: EventPayload): string =>
  [payload.type, ...factsOf(payload).map(([name, value]) => `${name}: ${value}`)].join('\n')

/** Escapes `&`, `<` and `>`, the control characters of Slack's text. */
const forSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const severityOf = (type: string) =>
  /exhausted|failed|expired|opened/.test(type)
    ? 'error'
    : /threshold|expiring|denied/.test(type)
      ? 'warning'
      : 'info'

/** The key is part of the URL: `…/integration/KEY/enqueue`, or `?routing_key=KEY`. */
function routingKeyOf(url: string): string {
  const { pathname, searchParams } = new URL(url)
  return searchParams.get('routing_key') ?? /\/integration\/([^/]+)/.exec(pathname)?.[1] ?? ''
}

const writers: Record<WebhookFormat, (payload: EventPayload, url: string) => JsonObject> = {
  standard: (payload) => ({ ...payload }),
  slack: (payload) => ({ text: forSlack(textOf(payload)) }),
  teams: (payload) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            { type: 'TextBlock', size: 'Medium', weight: 'Bolder', text: payload.type },
            { type: 'FactSet', facts: factsOf(payload).map(([title, value]) => ({ title, value })) },
          ],
        },
      },
    ],
  }),
  pagerduty: (payload, url) => ({
    routing_key: routingKeyOf(url),
    event_action: payload.type === 'breaker.closed' ? 'resolve' : 'trigger',
    dedup_key: payload.type.startsWith('breaker.')
      ? `breaker/${payload.data.provider}/${payload.data.model}`
      : payload.id,
    payload: {
      summary: textOf(payload).replaceAll('\n', ', ').slice(0, 1024),
      source: payload.organisation_id,
      severity: severityOf(payload.type),
      timestamp: payload.created_at,
      custom_details: payload.data,
    },
  }),
}

/** The body of a delivery. */
export const bodyFor = (format: WebhookFormat, payload: EventPayload, url: string): string =>
  JSON.stringify(writers[format](payload, url))
