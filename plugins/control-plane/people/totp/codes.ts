/**
 * Time-based one-time passwords (RFC 6238) and their recovery codes. The secret is stored encrypted, recovery codes as
 * hashes; each code can be used once.
 */
import { randomBytes } from 'node:crypto'
import type { ServiceContext } from '@gateway/contract'
import { kinds, recordOf, type UserData } from '@gateway/domain'
import type * as OtpAuth from 'otpauth'
import { sha256 } from '../session-data.ts'

export type Totp = NonNullable<UserData['totp']>

const issuer = 'gateway'
const periodSeconds = 30
const secretBytes = 20
const recoveryCodes = 10
const recoveryBytes = 10
/** Accepts codes of the previous and the next period, for clocks that differ. */
const window = 1
const usedForMs = (2 * window + 2) * periodSeconds * 1000

let loading: Promise<typeof OtpAuth> | null = null

function loadOtpAuth(): Promise<typeof OtpAuth> {
  loading ??= import('otpauth')
  return loading
}

const recordOfUser = (userId: string) => recordOf({ kind: kinds.user, id: userId })

export interface Enrolment {
  stored: Totp
  /** Shown once. */
  secret: string
  otpauthUrl: string
  recoveryCodes: string[]
}

export async function enrol(
  { sealer }: ServiceContext<'sealer'>,
  user: { id: string; email: string },
): Promise<Enrolment> {
  const { Secret, TOTP } = await loadOtpAuth()
  const secret = new Secret({ size: secretBytes })
  const codes = Array.from({ length: recoveryCodes }, () => {
    const text = randomBytes(recoveryBytes).toString('hex')
    return `${text.slice(0, 10)}-${text.slice(10)}`
  })
  return {
    stored: {
      sealed: sealer.seal(secret.base32, recordOfUser(user.id)),
      is_confirmed: false,
      recovery_hashes: codes.map(sha256),
    },
    secret: secret.base32,
    otpauthUrl: new TOTP({ issuer, label: user.email, secret, period: periodSeconds }).toString(),
    recoveryCodes: codes,
  }
}

/** Whether it is the current code and unused. */
export async function takeCode(
  context: ServiceContext<'now' | 'sealer' | 'shared'>,
  userId: string,
  { totp, code }: { totp: Totp; code: string },
): Promise<boolean> {
  const token = code.replaceAll(' ', '')
  if (!/^\d{6}$/.test(token)) return false
  const { Secret, TOTP } = await loadOtpAuth()
  const secret = Secret.fromBase32(context.sealer.open(totp.sealed, recordOfUser(userId)))
  const nowMs = context.now()
  const made = new TOTP({ secret, period: periodSeconds })
  const delta = made.validate({ token, timestamp: nowMs, window })
  if (delta === null) return false
  const period = Math.floor(nowMs / 1000 / periodSeconds) + delta
  return context.shared.acquire(`totp:${userId}:${period}`, usedForMs)
}

/** The second factor after a recovery code is used; null if the code is not a recovery code. */
export function withoutRecoveryCode(totp: Totp, code: string): Totp | null {
  const hash = sha256(code.trim().toLowerCase())
  if (!totp.recovery_hashes.includes(hash)) return null
  return { ...totp, recovery_hashes: totp.recovery_hashes.filter((one) => one !== hash) }
}
