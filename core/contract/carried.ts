import { isObject, type JsonObject, parseJson } from './json.ts'

/**
 * The prefix of `encrypted_content` in reasoning items of `/v1/responses` that the gateway wrote. No vendor can read them, so a
 * provider that has the endpoint itself leaves such items out.
 */
export const carriedMark = 'gateway.'

/** The id prefix of searches that the gateway wrote into a message, because another provider named its sources. */
export const carriedSearch = 'srvtoolu_gateway_'

/** The base64 prefix of such a signature, cut to whole groups of characters. */
const signatureStart = Buffer.from(carriedMark).toString('base64').slice(0, 8)

/** Encodes the data that a chat provider needs back as the signature of a part, in a format whose signatures are base64. */
export const carriedSignature = (carried: JsonObject): string =>
  Buffer.from(carriedMark + JSON.stringify(carried)).toString('base64')

/** The content of such a signature; null for signatures of vendors. */
export function readCarriedSignature(signature: unknown): JsonObject | null {
  if (typeof signature !== 'string' || !signature.startsWith(signatureStart)) return null
  const text = Buffer.from(signature, 'base64').toString('utf8')
  if (!text.startsWith(carriedMark)) return null
  const carried = parseJson(text.slice(carriedMark.length))
  return isObject(carried) ? carried : {}
}
