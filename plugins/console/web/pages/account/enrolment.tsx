/** Enrolment of a second factor: the QR code, the recovery codes and the first code. They are shown only once. */
import { useState } from 'preact/hooks'
import { encode } from 'uqr'
import { type ApiError, call } from '../../api.ts'
import type { Answer } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { TextField } from '../../parts/field.tsx'
import { asApiError } from '../../query.tsx'

/** The quiet zone around the QR code, in modules, which scanners require. */
const border = 4

function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border })
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code for your authenticator app"
    >
      <rect class="paper" width={size} height={size} />
      <path class="ink" d={dark.join('')} />
    </svg>
  )
}

export function Enrolment({
  made,
  onDone,
}: {
  made: Answer<'post', '/v1/auth/totp/enroll'>
  onDone: () => void
}) {
  const [code, setCode] = useState('')
  const [error, setError] = useState<ApiError | null>(null)
  const codes = made.recovery_codes
  const confirm = async (event: Event) => {
    event.preventDefault()
    setError(null)
    try {
      // A wrong code gets status 401 but does not end the session.
      await call('POST', '/v1/auth/totp/confirm', { body: { code: code.trim() }, isSignIn: true })
      onDone()
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  return (
    <form class="form" onSubmit={(event) => void confirm(event)} noValidate>
      {error !== null && <Alert>{error.message}</Alert>}
      <p>1. Scan this with your authenticator app, or enter the secret there.</p>
      <QrCode text={made.otpauth_url} />
      <TextField label="Secret" value={made.secret} onChange={() => undefined} isReadOnly />
      <p>2. Keep these recovery codes: each signs you in once without the app. They are shown this once.</p>
      <ul class="codes" aria-label="Recovery codes">
        {codes.map((one) => (
          <li key={one}>
            <code>{one}</code>
          </li>
        ))}
      </ul>
      <div class="buttons">
        <CopyButton text={codes.join('\n')} label="Copy the recovery codes" />
      </div>
      <TextField
        label="Code"
        autocomplete="one-time-code"
        value={code}
        onChange={setCode}
        fault={error?.faults.find(({ param }) => param === '/code')?.message}
        hint="3. Six digits that the app shows now."
      />
      <div class="buttons">
        <button type="submit" class="primary">
          Confirm
        </button>
      </div>
    </form>
  )
}
