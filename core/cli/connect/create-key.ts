/** Creates an API key with a budget for a coding agent, over the management API of a running gateway. */
import { isObject } from '@gateway/contract'

export interface KeyRequest {
  url: string
  adminKey: string
  name: string
  workspace: string
  budgetUsd: number
}

const timeoutMs = 10_000

/** Errors: the gateway's error answer, or that it is unreachable. */
export async function createAgentKey(request: KeyRequest): Promise<string> {
  const { url, adminKey, name, workspace, budgetUsd } = request
  const body = {
    name,
    workspace_id: workspace,
    scopes: ['completions.write', 'models.list'],
    usage_limits: { credit_limit: budgetUsd, periodic_reset: 'monthly' },
  }
  const answer = await fetch(`${url}/v1/api-keys/workspace/service`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new Error(`${url} does not answer (${error instanceof Error ? error.message : String(error)}).`)
  })
  const read: unknown = await answer.json().catch(() => null)
  if (isObject(read) && answer.ok && typeof read.key === 'string') return read.key
  const message = isObject(read) && isObject(read.error) ? String(read.error.message) : ''
  throw new Error(`${url} answered ${answer.status}. ${message}`.trim())
}
