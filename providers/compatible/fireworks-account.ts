/**
 * Fireworks: the API of an account for datasets and fine-tuning jobs, next to the inference API.
 * Reference: https://docs.fireworks.ai/api-reference/introduction
 * Errors: `no_provider` for an account that is missing or not an id; those of the service.
 */
import {
  GatewayError,
  type JsonObject,
  type ProcedureContext,
  type ProviderSettings,
} from '@gateway/contract'
import { compatibleError, jsonCaller, objectsOf, pageSizeOf, pathSegment } from '@gateway/provider-kit'
import { type TSchema, Type } from '@sinclair/typebox'

/** The schema of a stored credential's `configurations`. */
export const fireworksConfigurations: TSchema = Type.Object(
  {
    fireworks_account_id: Type.Optional(
      Type.String({
        pattern: '^[\\w-]{1,64}$',
        description: 'The account with the datasets and fine-tuning jobs.',
      }),
    ),
  },
  { additionalProperties: false },
)

const inferenceUrl = 'https://api.fireworks.ai/inference/v1'

/** `resource_name`, otherwise the stored `fireworks_account_id`. */
function accountOf({ resource_name, configurations: stored }: ProviderSettings): string {
  const account = resource_name ?? stored?.fireworks_account_id
  if (typeof account === 'string' && /^[\w-]{1,64}$/.test(account)) return account
  throw new GatewayError(
    'no_provider',
    'The provider fireworks-ai requires the account id for files and fine-tuning: store it as fireworks_account_id, or send it as resource_name.',
  )
}

export const accountUrl = (settings: ProviderSettings): string => {
  const base = (settings.custom_host ?? inferenceUrl).replace(/\/+$/, '').replace(/\/inference(?=\/v1$)/, '')
  return `${base}/accounts/${accountOf(settings)}`
}

/** The name of a resource of the account: `accounts/ACCOUNT/datasets/ID`. */
export const resourceName = (settings: ProviderSettings, kind: 'datasets' | 'models', id: string): string =>
  id.startsWith('accounts/') ? id : `accounts/${accountOf(settings)}/${kind}/${id}`

export const lastSegment = (name: unknown): string | null =>
  typeof name === 'string' && name !== '' ? (name.split('/').at(-1) ?? null) : null

export const callAccount = jsonCaller(({ settings }) => accountUrl(settings), compatibleError)

interface PathOfIdOptions {
  of: string
  settings: ProviderSettings
}

/** `/datasets/ID` for the id in a path. */
export const pathOfId = (collection: string, body: JsonObject, { of, settings }: PathOfIdOptions) =>
  `/${collection}/${pathSegment(body[of], `path/${of}`, settings.provider)}`

/** Shared by lists and their pages: newest first, `after` by the position of an id in the previous page. */
export async function listAccount(
  { path, member, context }: { path: string; member: string; context: ProcedureContext },
  { limit, after }: JsonObject,
): Promise<{ items: JsonObject[]; hasMore: boolean }> {
  const wanted = pageSizeOf(limit, pageSize)
  const found: JsonObject[] = []
  let token = ''
  let isAfter = typeof after !== 'string'
  for (let page = 0; page < mostPages; page += 1) {
    const query = new URLSearchParams({
      pageSize: String(pageSize),
      orderBy: 'create_time desc',
      ...(token === '' ? {} : { pageToken: token }),
    })
    const answer = await callAccount('GET', `${path}?${query}`, { context })
    for (const item of objectsOf(answer[member])) {
      if (isAfter) found.push(item)
      else isAfter = lastSegment(item.name) === after
    }
    token = typeof answer.nextPageToken === 'string' ? answer.nextPageToken : ''
    if (token === '' || found.length > wanted) break
  }
  if (!isAfter)
    throw new GatewayError('invalid_cursor', `query/after: there is no "${String(after).slice(0, 100)}"`, {
      param: 'query/after',
    })
  return { items: found.slice(0, wanted), hasMore: found.length > wanted || token !== '' }
}

const pageSize = 200
const mostPages = 20
