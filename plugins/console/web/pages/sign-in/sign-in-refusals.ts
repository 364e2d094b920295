/** Why a sign-in through an identity provider failed, by the reason code in the address. */
const texts: Readonly<Record<string, string>> = {
  access_denied:
    'Your identity provider refused the sign-in. Ask its administrator for access to this gateway.',
  provider_refused:
    'Your identity provider did not complete the sign-in. Try again, or ask its administrator.',
  expired:
    'This sign-in was started in another browser, took longer than ten minutes, or was already used. Sign in again.',
  switched_off: 'This organisation has no single sign-on. Sign in another way.',
  email_unverified:
    'Your identity provider has not verified your e-mail address. Verify it there, then sign in again.',
  email_missing:
    'Your identity provider did not send your e-mail address. Ask its administrator to include it.',
  address_taken:
    'Another account of your identity provider already signs in with your e-mail address. Ask an administrator.',
  domain_not_allowed: 'The organisation does not allow the domain of your e-mail address.',
  invite_needed: 'Only invited people can join this organisation. Ask an administrator for an invite.',
  not_allowed: 'Your account may not sign in to this organisation. Ask an administrator.',
  too_many_tries: 'Too many sign-ins failed. Wait a minute, then try again.',
  unavailable: 'The identity provider cannot be reached. Try again in a moment.',
}

/** Returns only fixed texts and never text from the address, because anyone can write a link. */
export function refusalText(reason: string | null): string | null {
  if (reason === null) return null
  return Object.hasOwn(texts, reason)
    ? (texts[reason] ?? null)
    : 'The sign-in failed. Try again, or sign in another way.'
}
