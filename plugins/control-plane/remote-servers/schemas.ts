/** Members of `configurations` that both protocols have. */
import { Type } from '@sinclair/typebox'

export const headerName = Type.String({
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,255}$",
  explain: 'must be a header name',
})

const forwardedName = Type.Unsafe({
  if: { type: 'string' },
  then: headerName,
  else: Type.Object({ from: headerName, to: headerName }, { additionalProperties: false }),
})

/** A list of names, or a mode with names. */
export const forwardHeadersSchema = Type.Unsafe({
  if: { type: 'array' },
  then: { type: 'array', maxItems: 100, items: headerName },
  else: Type.Object(
    {
      mode: Type.Unsafe({ type: 'string', enum: ['allowlist', 'all-except'] }),
      headers: Type.Array(forwardedName, { maxItems: 100 }),
    },
    { additionalProperties: false },
  ),
})

export const customHeadersSchema = Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
  maxProperties: 100,
})

/** Milliseconds. */
export const timeoutSchema = Type.Integer({ minimum: 1, maximum: 3_600_000 })
