/** Text completions: return every prompt. */
import type { JsonObject, ProcedureAnswer, ProcedureContext } from '@gateway/contract'
import { readBehaviour } from './behaviour.ts'
import { firstNumber, limitText, seconds, tokensOf, usageOf } from './text.ts'

/** The specification's default of `max_tokens` is 16. */
const defaultMaxTokens = 16

export async function complete(body: JsonObject, context: ProcedureContext): Promise<ProcedureAnswer> {
  const prompts = promptsOf(body)
  const { reply } = readBehaviour(body)
  const maxTokens = firstNumber(body.max_tokens) ?? defaultMaxTokens
  const count = firstNumber(body.n) ?? 1
  const choices = prompts.flatMap((prompt) => {
    const limited = limitText(reply ?? prompt, maxTokens, body.stop)
    const text = body.echo === true ? prompt + limited.text : limited.text
    return Array.from({ length: count }, () => ({ text, finish_reason: limited.finish }))
  })
  const numbered = choices.map((choice, index) => ({ index, logprobs: null, ...choice }))
  const promptTokens = prompts.reduce((sum, prompt) => sum + tokensOf(prompt).length, 0)
  const usage = usageOf(
    promptTokens,
    choices.reduce((sum, { text }) => sum + tokensOf(text).length, 0),
  )
  const head: JsonObject = {
    id: context.id('cmpl-'),
    object: 'text_completion',
    created: seconds(context.now()),
    model: body.model ?? null,
  }
  if (body.stream !== true)
    return { status: 200, headers: {}, body: { ...head, choices: numbered, usage }, stream: null }
  return {
    status: 200,
    headers: {},
    body: null,
    stream: chunks(head, numbered, context.includeUsage ? usage : null),
  }
}

function promptsOf({ prompt }: JsonObject): string[] {
  if (typeof prompt === 'string') return [prompt]
  if (!Array.isArray(prompt) || prompt.length === 0) return ['']
  if (prompt.every((item) => typeof item === 'number')) return [prompt.join(' ')]
  return prompt.map((item) => (Array.isArray(item) ? item.join(' ') : String(item)))
}

async function* chunks(
  head: JsonObject,
  choices: readonly { index: number; text: string; finish_reason: string }[],
  usage: JsonObject | null,
): AsyncGenerator<JsonObject, void, undefined> {
  for (const { index, text, finish_reason: finish } of choices) {
    for (const token of tokensOf(text)) {
      yield { ...head, choices: [{ index, text: token, logprobs: null, finish_reason: null }] }
    }
    yield { ...head, choices: [{ index, text: '', logprobs: null, finish_reason: finish }] }
  }
  if (usage !== null) yield { ...head, choices: [], usage }
}
