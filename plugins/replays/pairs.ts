/** `GET /v1/replays/{id}/pairs`: pairs with both answers, the worst first. */
import { isObject, type JsonObject, type LogEntry, parseJson } from '@gateway/contract'
import { type Call, listAnswer, listSchema, nullable, pagingOf } from '@gateway/control-plane/engine'
import { readBody } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import { replayedEndpoints } from './compare/answers.ts'
import type { Side } from './compare/side.ts'
import { type PlacedPair, problems, problemsOf, worstFirst } from './compare/worst-first.ts'
import { cents } from './present.ts'
import { sightOn } from './read.ts'
import type { ReplayDocument, ReplayStore } from './store.ts'

const number = nullable(Type.Number())
const flag = nullable(Type.Boolean())
const text = nullable(Type.String())
const anything: TSchema = Type.Unknown()

const side = Type.Object(
  {
    log_id: Type.String(),
    status: Type.Integer(),
    is_error: Type.Boolean(),
    is_denied: Type.Boolean(),
    cost: number,
    input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    latency_ms: number,
    first_token_ms: number,
    model: text,
    finish: text,
    is_refusal: Type.Boolean(),
    length: number,
    is_valid_json: flag,
    answer: anything,
  },
  { additionalProperties: false, title: 'ReplayPairSide' },
)

export const pairListSchema = listSchema(
  Type.Object(
    {
      object: Type.Literal('replay.pair'),
      position: Type.Integer(),
      problems: Type.Array(Type.Union(problems.map((problem) => Type.Literal(problem)))),
      redacted: Type.Boolean(),
      request: anything,
      baseline: side,
      candidate: side,
      same_tool: flag,
      same_arguments: flag,
      similarity: number,
      judge: nullable(
        Type.Object(
          {
            winner: Type.Union([Type.Literal('baseline'), Type.Literal('candidate'), Type.Literal('tie')]),
            agreed: Type.Boolean(),
            reasons: Type.Array(Type.String()),
          },
          { additionalProperties: false },
        ),
      ),
      cost: Type.Number({ description: "US cents of the candidate's call, the judge and the embeddings." }),
    },
    { additionalProperties: false, title: 'ReplayPair' },
  ),
)

export async function listPairs(
  call: Call<'logEntries'>,
  store: ReplayStore,
  replay: ReplayDocument,
): Promise<JsonObject> {
  const sight = await sightOn(call, replay)
  const paging = pagingOf(call.query)
  const found = worstFirst(await store.pairsOf(replay)).filter(({ pair }) => {
    const { own } = sight
    return own === undefined || (pair.api_key_id !== null && own.api_key_ids.includes(pair.api_key_id))
  })
  const begin = paging.current_page * paging.page_size
  const page = found.slice(begin, begin + paging.page_size)
  const ids = page.flatMap(({ pair }) => [
    pair.baseline_id,
    ...(pair.candidate_id === null ? [] : [pair.candidate_id]),
    ...(pair.judge?.entry_ids ?? []),
  ])
  // Only log entries that the caller and the replay may see, without erased ones.
  const read = ids.length === 0 ? [] : await call.context.logEntries.read([...new Set(ids)])
  const entries = new Map(
    read.filter(({ workspace_id }) => workspace_id === replay.workspace_id).map((entry) => [entry.id, entry]),
  )
  return listAnswer(
    page.map((placed) => presentPair(placed, entries)),
    found.length,
    paging,
  )
}

function presentPair({ position, pair }: PlacedPair, entries: ReadonlyMap<string, LogEntry>): JsonObject {
  const { baseline_id, candidate_id, match, judge } = pair
  return {
    object: 'replay.pair',
    position,
    problems: problemsOf(pair),
    redacted: pair.is_redacted,
    request: readBody(entries.get(baseline_id)?.bodies?.request),
    baseline: sideOf(pair.baseline, baseline_id, entries),
    candidate: sideOf(pair.candidate, candidate_id ?? '', entries),
    same_tool: match?.same_tool ?? null,
    same_arguments: match?.same_arguments ?? null,
    similarity: match?.similarity ?? null,
    judge:
      judge === null
        ? null
        : {
            winner: judge.winner,
            agreed: judge.agreed,
            reasons: judge.entry_ids.flatMap((id) => reasonOf(entries.get(id)) ?? []),
          },
    cost: cents(pair.spent),
  }
}

const sideOf = (measured: Side | null, id: string, entries: ReadonlyMap<string, LogEntry>): JsonObject => ({
  log_id: id,
  ...measured,
  answer: readBody(entries.get(id)?.bodies?.response),
})

/** The judge's explanation, from its answer in the log. */
function reasonOf(entry: LogEntry | undefined): string | null {
  const body = readBody(entry?.bodies?.response)
  const verdict = isObject(body) ? parseJson(replayedEndpoints.chatComplete?.read(body).text ?? '') : null
  return isObject(verdict) && typeof verdict.reason === 'string' ? verdict.reason : null
}
