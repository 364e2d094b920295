/**
 * Password hashes: scrypt with a random salt each; the hash text includes the cost parameters (management contract,
 * section 1).
 */

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '@gateway/contract'
import { createFairQueue } from './fair-queue.ts'

/** 16 MiB and five rounds: one of the equivalent settings in OWASP's password storage guide. */
const costs = { N: 16_384, r: 8, p: 5 } as const
const saltBytes = 16
const hashBytes = 32
const maxMemoryBytes = 128 * 1_048_576

export const minPasswordChars = 12
export const maxPasswordChars = 1_024

/**
 * One hash at a time: hashing uses the threads that also read files and resolve names, and the processor that other
 * requests need. An address may wait for about three seconds of its own hashing.
 */
const queue = createFairQueue(
  { maxOfKey: 32, maxOfAll: 512 },
  () =>
    new GatewayError('rate_limit_exceeded', 'Too many sign-ins are waiting. Try again in a few seconds.', {
      headers: { 'retry-after': '5' },
    }),
)

function derive(password: string, salt: Buffer, { N, r, p }: ScryptOptions): Promise<Buffer> {
  const options = { N, r, p, maxmem: maxMemoryBytes } as ScryptOptions
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, options, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

/**
 * The stored form of a password: `scrypt$N$r$p$SALT$HASH`.
 * @param address the client’s, for its share of the queue
 */
export async function hashPassword(password: string, address: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await queue.run(address, () => derive(password, salt, costs))
  return ['scrypt', costs.N, costs.r, costs.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/** Used when there is no hash, so that a failing check takes the same time. */
const noHash = ['scrypt', costs.N, costs.r, costs.p, Buffer.alloc(saltBytes).toString('base64'), ''].join('$')

/** Whether the password is correct. Takes the same time for unknown users and for users without a password. */
export async function checkPassword(
  password: string,
  stored: string | null,
  address: string,
): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (stored ?? noHash).split('$')
  const expected = Buffer.from(hash, 'base64')
  const costs = { N: Number(N), r: Number(r), p: Number(p) }
  const found = await queue.run(address, () => derive(password, Buffer.from(salt, 'base64'), costs))
  return expected.length === found.length && timingSafeEqual(expected, found)
}
