/** The second factor of a sign-in. Errors: 401 `totp_required`, `invalid_api_key`. */
import { type DocumentWrite, GatewayError } from '@gateway/contract'
import type { Call } from '../../engine/index.ts'
import type { UserDocument } from '../people.ts'
import { takeCode, withoutRecoveryCode } from './codes.ts'

/** Returns the writes for the sign-in's commit: the used recovery code. */
export async function checkSecondFactor(
  call: Call<'shared'>,
  user: UserDocument,
  given: string | undefined,
): Promise<DocumentWrite[]> {
  const { totp = null } = user.data
  if (totp?.is_confirmed !== true) return []
  if (given === undefined) {
    throw new GatewayError('totp_required', 'This account has a second factor: send its code in totp.', {
      param: '/totp',
    })
  }
  if (await takeCode(call.context, user.id, { totp, code: given })) return []
  const rest = withoutRecoveryCode(totp, given)
  // The same text as for a wrong password, which was checked first.
  if (rest === null) throw new GatewayError('invalid_api_key', 'The e-mail address or the password is wrong.')
  const { version, ...document } = user
  return [
    {
      op: 'put',
      isQuiet: true,
      expected: version,
      document: { ...document, data: { ...user.data, totp: rest } },
    },
  ]
}
