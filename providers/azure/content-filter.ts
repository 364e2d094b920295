/**
 * Streams of Azure OpenAI: the compatible format with annotations of the content filter between the chunks. A chunk
 * that contains only annotations (no choice, no usage) is kept only without strict compliance, since clients of the
 * format expect a choice in every chunk; a choice without a delta gets an empty one for the same reason.
 * Reference: https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming
 * Errors: {@link UpstreamFault} for an event that contains an error.
 */
import {
  type CallContext,
  type Dialect,
  isObject,
  type Json,
  type JsonObject,
  type StreamTranslator,
} from '@gateway/contract'
import { compatibleDialect, type EndpointRules, fortyCharacters, nineOfMistral } from '@gateway/provider-kit'

/** The member of a choice that contains new text, by endpoint. */
const emptyParts = { chatComplete: { delta: {} }, complete: { text: '' } } satisfies Record<
  string,
  JsonObject
>

/** The dialect of an endpoint that streams. */
export function filteredDialect(
  endpoint: keyof typeof emptyParts,
  parameters: readonly string[] = [],
): Dialect {
  // With this rule the kit's translator keeps the usage for a separate chunk, sent if the caller requested it.
  const rules: EndpointRules = { usageIn: 'chunk', toolCallIds: [nineOfMistral, fortyCharacters] }
  const dialect = compatibleDialect(endpoint, rules, parameters)
  const { stream } = dialect
  if (typeof stream !== 'function') return dialect
  return { ...dialect, stream: (context) => filterStream(stream(context), emptyParts[endpoint], context) }
}

function filterStream(inner: StreamTranslator, empty: JsonObject, context: CallContext): StreamTranslator {
  const clean = (chunks: readonly JsonObject[]) =>
    chunks.filter((chunk) => !context.strict || !isAnnotation(chunk)).map((chunk) => withParts(chunk, empty))
  return {
    event(event) {
      const { chunks, done } = inner.event(event)
      return { chunks: clean(chunks), done }
    },
    end: () => inner.end(),
  }
}

const isAnnotation = ({ choices, usage }: JsonObject): boolean =>
  Array.isArray(choices) && choices.length === 0 && !isObject(usage)

function withParts(chunk: JsonObject, empty: JsonObject): JsonObject {
  const { choices } = chunk
  const isWhole = (choice: Json) =>
    !isObject(choice) || Object.keys(empty).every((key) => choice[key] !== undefined)
  if (!Array.isArray(choices) || choices.every(isWhole)) return chunk
  return { ...chunk, choices: choices.map((choice) => (isObject(choice) ? { ...empty, ...choice } : choice)) }
}
