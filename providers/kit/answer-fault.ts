/** The fault for an error answer in a procedure: the vendor's error body, and its headers. */
import { type Dialect, isObject, type ProviderFetchAnswer, UpstreamFault } from '@gateway/contract'

/** @param read the reader of the vendor's error bodies */
export function answerFault(
  { status, headers }: Pick<ProviderFetchAnswer, 'status' | 'headers'>,
  body: unknown,
  read: NonNullable<Dialect['error']>,
): UpstreamFault {
  const message = `The provider answered ${status}.`
  const blank = { status, message, type: 'upstream_error', param: null, code: 'upstream_error' }
  return new UpstreamFault((isObject(body) ? read(status, body, headers) : null) ?? blank, headers)
}
