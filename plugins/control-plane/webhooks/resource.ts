/** Webhooks (management contract, section 21): the events that are sent, and their destination. */
import type { JsonObject } from '@gateway/contract'
import { eventTypes, isMasked, kinds, maskUrl, type WebhookData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { defineResource, description, nullable, type Resource, type Write } from '../engine/index.ts'
import { webhookRoutes } from './routes.ts'
import { sealSecretsOf } from './secrets.ts'
import { newSecret } from './sign.ts'

const formats = ['standard', 'slack', 'teams', 'pagerduty'] as const
const eventName = Type.Unsafe<string>({
  type: 'string',
  enum: ['*', ...eventTypes],
  explain: `must be "*" or one of ${eventTypes.join(', ')}`,
})

type Need = 'checkUrl' | 'send'

export const webhooks: Resource<JsonObject, Need> = defineResource<WebhookData, Need>({
  kind: kinds.webhook,
  object: 'webhook',
  title: 'webhook',
  tag: 'Webhooks',
  operation: 'webhook',
  path: '/webhooks',
  level: 'either',
  families: [{ family: 'webhooks' }],
  slug: null,
  fields: {
    name: { schema: Type.String({ minLength: 1, maxLength: 255 }) },
    url: {
      schema: Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          'An http or https URL. Answers mask its secrets; the masked URL, sent back, leaves it unchanged.',
      }),
      isRequired: true,
    },
    events: {
      schema: Type.Array(eventName, { minItems: 1, maxItems: 100, uniqueItems: true }),
      isRequired: true,
    },
    description: { schema: description },
    format: {
      schema: Type.Unsafe<string>({
        type: 'string',
        enum: [...formats],
        explain: `must be one of ${formats.join(', ')}`,
        description: 'The format of deliveries: signed events, or messages for Slack, Teams or PagerDuty.',
      }),
      default: 'standard',
    },
  },
  answers: {
    secret: Type.Optional(
      Type.String({
        description: 'The secret that signs deliveries. Only the answer to the creation contains it.',
      }),
    ),
    paused_reason: nullable(Type.String()),
  },
  statuses: ['active', 'paused', 'archived'],
  writableStatuses: ['active', 'paused'],
  hooks: {
    prepare,
    attributes: ({ data }) => ({ events: data.events }),
    present: ({ data }) => ({ url: maskUrl(data.url), paused_reason: data.paused_reason ?? null }),
  },
  routes: webhookRoutes(() => webhooks),
})

function prepare(write: Write<WebhookData, 'checkUrl'>): void {
  const { draft, before, call, action } = write
  if (action === 'archive') return
  const { data } = draft
  if (isMasked(data.url)) {
    // An editor sends back what an answer showed.
    if (before !== null && data.url === maskUrl(before.data.url)) data.url = before.data.url
    else write.fault('/url', 'contains a mask: send the whole URL')
  }
  const reason = URL.canParse(data.url) ? call.context.checkUrl(data.url) : 'must be a URL'
  if (reason !== null)
    write.fault('/url', reason, URL.canParse(data.url) ? 'host_not_allowed' : 'invalid_body')
  if (action === 'create') {
    const secret = newSecret()
    sealSecretsOf(draft, { secret }, call.context)
    write.shown.secret = secret
  }
  if (draft.status === 'active') data.paused_reason = null
  else if (draft.status === 'paused' && before?.status !== 'paused')
    data.paused_reason = 'Paused by a request.'
  if (before !== null && before.status !== 'active' && draft.status === 'active') {
    write.also.push({ op: 'remove', kind: kinds.webhookFailures, id: draft.id })
  }
}
