/** An endpoint that the provider answers itself: its chunks are framed, its faults are faults of the upstream. */
import { type Answer, createAnswer } from '../answer.ts'
import type { ResolvedTarget } from '../config/node.ts'
import type { CallContext, ProcedureEndpoint, ProviderIo } from '../contract/index.ts'
import type { Exchange } from '../exchange.ts'
import { primeStream } from '../stream/prime.ts'
import { frameStream } from '../stream/translate-stream.ts'

export async function callProcedure(
  exchange: Exchange,
  target: ResolvedTarget,
  endpoint: ProcedureEndpoint,
  context: CallContext,
  io: ProviderIo,
): Promise<Answer> {
  const { adapter, settings, baseUrl } = target
  const { status, headers, body, stream } = await endpoint.run(exchange.body, {
    ...context,
    ...io,
    baseUrl,
    authorize: async (request) => adapter.auth(request, settings, io),
  })
  if (stream === null) return createAnswer({ status, headers, body })
  return createAnswer({ status, headers, stream: await primeStream(frameStream(stream)) })
}
