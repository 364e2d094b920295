/** Procedures for objects of a provider, and the lists that they return. */
import type { JsonObject, ProcedureAnswer, ProcedureContext, ProcedureEndpoint } from '@gateway/contract'
import { callObjectJson, type ObjectCall, objectAnswer, type ReadError } from './call.ts'

export const procedure = (run: ProcedureEndpoint['run']): ProcedureEndpoint => ({ kind: 'procedure', run })

type CallJson = (
  method: ObjectCall['method'],
  path: string,
  options: { context: ProcedureContext; body?: JsonObject },
) => Promise<JsonObject>

/** Calls below one address, with JSON in and out. */
export const jsonCaller =
  (base: (context: ProcedureContext) => string, readError: ReadError): CallJson =>
  (method, path, { context, body }) =>
    callObjectJson(
      { method, url: `${base(context)}${path}`, ...(body === undefined ? {} : { body }) },
      context,
      readError,
    )

export const listAnswer = (data: readonly JsonObject[], hasMore: boolean): ProcedureAnswer =>
  objectAnswer({
    object: 'list',
    data: [...data],
    has_more: hasMore,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  })

const standardSize = 20
const maxSize = 100

/** The number of objects that `limit` requests. */
export const pageSizeOf = (limit: unknown, most = maxSize): number =>
  Math.min(most, Math.max(1, Number(limit ?? standardSize) || standardSize))
