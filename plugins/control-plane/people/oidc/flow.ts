/**
 * A sign-in in progress: the values that must come back unchanged, encrypted in a cookie of the browser that began it,
 * and usable once.
 */
import { randomUUID } from 'node:crypto'
import { isGatewayError, isObject, type ServiceContext } from '@gateway/contract'

export const flowCookie = 'gateway_sign_in'
const flowMs = 600_000
/** The record id that the encryption is bound to. */
const record = 'oidc_flow/sign-in'

export interface Flow {
  id: string
  organisationId: string
  state: string
  nonce: string
  verifier: string
  returnTo: string
  /** Milliseconds since the epoch. */
  endsAt: number
}

type Context = ServiceContext<'isBehindTls' | 'now' | 'sealer'>

/** The cookie that begins a sign-in. */
export function flowCookieOf(context: Context, begun: Omit<Flow, 'id' | 'endsAt'>): string {
  const flow: Flow = { ...begun, id: randomUUID(), endsAt: context.now() + flowMs }
  return [
    `${flowCookie}=${Buffer.from(context.sealer.seal(JSON.stringify(flow), record)).toString('base64url')}`,
    'Path=/v1/auth',
    `Max-Age=${flowMs / 1000}`,
    'HttpOnly',
    // `Lax`, because the identity provider sends the browser back with a link.
    'SameSite=Lax',
    ...(context.isBehindTls() ? ['Secure'] : []),
  ].join('; ')
}

/** The sign-in that this browser began; null if the cookie is missing, belongs to another gateway, or has expired. */
export function openFlow(context: Context, cookie: string | undefined): Flow | null {
  if (cookie === undefined) return null
  const flow = readFlow(context, Buffer.from(cookie, 'base64url').toString('utf8'))
  return flow !== null && flow.endsAt > context.now() ? flow : null
}

function readFlow({ sealer }: Context, sealed: string): Flow | null {
  try {
    const flow: unknown = JSON.parse(sealer.open(sealed, record))
    return isFlow(flow) ? flow : null
  } catch (error) {
    // Not encrypted by this gateway, or damaged.
    if (isGatewayError(error) || error instanceof SyntaxError) return null
    throw error
  }
}

const isFlow = (flow: unknown): flow is Flow =>
  isObject(flow) &&
  ['id', 'organisationId', 'state', 'nonce', 'verifier', 'returnTo'].every(
    (name) => typeof flow[name] === 'string',
  ) &&
  typeof flow.endsAt === 'number'

/** Marks this sign-in as used. False if any process has already used it. */
export const takeFlow = ({ shared }: ServiceContext<'shared'>, { id }: Flow): Promise<boolean> =>
  shared.acquire(`oidc-flow:${id}`, flowMs)
