/**
 * Stores data that a chat provider attaches to an answer or a call among the reasoning blocks, which clients return.
 */
import type { JsonObject } from '@gateway/contract'

/** A block with data that the provider needs back with a call, or with the message if no call is named. */
export const signatureBlock = (extra: JsonObject, callId?: string): JsonObject => ({
  type: 'signature',
  ...(callId === undefined ? {} : { call_id: callId }),
  extra_content: extra,
})

export const isSignature = ({ type }: JsonObject): boolean => type === 'signature'
