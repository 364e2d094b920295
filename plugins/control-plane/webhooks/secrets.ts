/** The signing secrets of a webhook, encrypted together. */
import type { JsonObject, ServiceContext, StoredDocument } from '@gateway/contract'
import type { WebhookData } from '@gateway/domain'
import { openSecrets, sealTogether } from '../engine/index.ts'
import { newSecret } from './sign.ts'

export function sealSecretsOf(
  draft: Pick<StoredDocument<WebhookData>, 'kind' | 'id' | 'data'>,
  secrets: JsonObject,
  { sealer }: ServiceContext<'sealer'>,
): void {
  draft.data.sealed = sealTogether(secrets, draft, sealer) ?? ''
}

/** The previous secret also signs for a day. */
const formerMs = 86_400_000

/** A draft with a new secret, and the secret. */
export function rotated(
  webhook: StoredDocument<WebhookData>,
  context: ServiceContext<'now' | 'sealer'>,
): { draft: Omit<StoredDocument<WebhookData>, 'version'>; secret: string; endsAt: string } {
  const { version: _, ...document } = webhook
  const secret = newSecret()
  const former = openSecrets(webhook, context.sealer).secret ?? null
  const endsAt = new Date(context.now() + formerMs).toISOString()
  const draft = {
    ...document,
    last_updated_at: Math.max(context.now(), document.last_updated_at),
    data: { ...document.data, former_secret_ends_at: endsAt },
  }
  sealSecretsOf(draft, { secret, former_secret: former }, context)
  return { draft, secret, endsAt }
}
