/**
 * Password hashes: scrypt with a random salt each; the hash text includes the cost parameters (management contract,
 * section 1).
 */

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '@gateway/contract'

/** 16 MiB and five rounds: one of the equivalent settings in OWASP's password storage guide. */
const costs = { N: 16_384, r: 8, p: 5 } as const
const saltBytes = 16
const hashBytes = 32
const maxMemoryBytes = 128 * 1_048_576

export const minPasswordChars = 12
export const maxPasswordChars = 1_024

/**
 * Concurrent hashes. Hashing uses the threads that also read files and resolve names, and the processor that other
 * requests need.
 */
const maxRunning = 1
/** About three seconds of work. */
const maxWaiting = 32
let running = 0
const waiting: (() => void)[] = []

async function derive(password: string, salt: Buffer, costs: ScryptOptions): Promise<Buffer> {
  if (running >= maxRunning) {
    if (waiting.length >= maxWaiting) {
      throw new GatewayError(
        'rate_limit_exceeded',
        'Too many sign-ins are waiting. Try again in a few seconds.',
        {
          headers: { 'retry-after': '5' },
        },
      )
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running += 1
  try {
    return await deriveNow(password, salt, costs)
  } finally {
    const next = waiting.shift()
    // The request that has waited longest takes the place.
    if (next === undefined) running -= 1
    else next()
  }
}

function deriveNow(password: string, salt: Buffer, { N, r, p }: ScryptOptions): Promise<Buffer> {
  const options = { N, r, p, maxmem: maxMemoryBytes } as ScryptOptions
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, options, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

/** The stored form of a password: `scrypt$N$r$p$SALT$HASH`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await derive(password, salt, costs)
  return ['scrypt', costs.N, costs.r, costs.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/** Used when there is no hash, so that a failing check takes the same time. */
const noHash = ['scrypt', costs.N, costs.r, costs.p, Buffer.alloc(saltBytes).toString('base64'), ''].join('$')

/** Whether the password is correct. Takes the same time for unknown users and for users without a password. */
export async function checkPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (stored ?? noHash).split('$')
  const expected = Buffer.from(hash, 'base64')
  const found = await derive(password, Buffer.from(salt, 'base64'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  })
  return expected.length === found.length && timingSafeEqual(expected, found)
}
