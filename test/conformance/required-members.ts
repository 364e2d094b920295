/**
 * The members that the published types of the format require. TypeScript checks that the lists are complete.
 * Source: https://platform.openai.com/docs/api-reference, as typed by the vendor's own package.
 */
import { expect } from 'chai'
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionMessage,
  ChatCompletionMessageFunctionToolCall,
} from 'openai/resources/chat/completions'
import type { Completion, CompletionChoice, CompletionUsage } from 'openai/resources/completions'
import type { CreateEmbeddingResponse, Embedding } from 'openai/resources/embeddings'
import type { ImagesResponse } from 'openai/resources/images'
import type {
  Response,
  ResponseCustomToolCall,
  ResponseFunctionToolCall,
  ResponseOutputMessage,
  ResponseOutputRefusal,
  ResponseOutputText,
  ResponseReasoningItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses'

/** The keys that are not optional. */
type Required<Of> = { [Key in keyof Of]-?: object extends Pick<Of, Key> ? never : Key }[keyof Of]

/** All required keys, and no others. */
const keys = <Of>(members: Record<Required<Of> & string, 1>): string[] => Object.keys(members)

export const chatCompletion = {
  answer: keys<ChatCompletion>({ id: 1, choices: 1, created: 1, model: 1, object: 1 }),
  choice: keys<ChatCompletion.Choice>({ finish_reason: 1, index: 1, logprobs: 1, message: 1 }),
  message: keys<ChatCompletionMessage>({ content: 1, refusal: 1, role: 1 }),
  call: keys<ChatCompletionMessageFunctionToolCall>({ id: 1, function: 1, type: 1 }),
  usage: keys<CompletionUsage>({ completion_tokens: 1, prompt_tokens: 1, total_tokens: 1 }),
}

export const chatChunk = {
  chunk: keys<ChatCompletionChunk>({ id: 1, choices: 1, created: 1, model: 1, object: 1 }),
  choice: keys<ChatCompletionChunk.Choice>({ delta: 1, finish_reason: 1, index: 1 }),
}

export const textCompletion = {
  answer: keys<Completion>({ id: 1, choices: 1, created: 1, model: 1, object: 1 }),
  choice: keys<CompletionChoice>({ finish_reason: 1, index: 1, logprobs: 1, text: 1 }),
}

export const embeddings = {
  answer: keys<CreateEmbeddingResponse>({ data: 1, model: 1, object: 1, usage: 1 }),
  item: keys<Embedding>({ embedding: 1, index: 1, object: 1 }),
  usage: keys<CreateEmbeddingResponse.Usage>({ prompt_tokens: 1, total_tokens: 1 }),
}

export const images = { answer: keys<ImagesResponse>({ created: 1 }) }

export const response = {
  // `output_text` is computed by the vendor's package.
  answer: keys<Omit<Response, 'output_text'>>({
    id: 1,
    created_at: 1,
    error: 1,
    incomplete_details: 1,
    instructions: 1,
    metadata: 1,
    model: 1,
    object: 1,
    output: 1,
    parallel_tool_calls: 1,
    temperature: 1,
    tool_choice: 1,
    tools: 1,
    top_p: 1,
  }),
  usage: keys<ResponseUsage>({
    input_tokens: 1,
    input_tokens_details: 1,
    output_tokens: 1,
    output_tokens_details: 1,
    total_tokens: 1,
  }),
  inputDetails: keys<ResponseUsage.InputTokensDetails>({ cache_write_tokens: 1, cached_tokens: 1 }),
  outputDetails: keys<ResponseUsage.OutputTokensDetails>({ reasoning_tokens: 1 }),
}

/** Required members by the type of an item, and of a part of its content. */
export const responseItems: Readonly<Record<string, string[]>> = {
  message: keys<ResponseOutputMessage>({ id: 1, content: 1, role: 1, status: 1, type: 1 }),
  reasoning: keys<ResponseReasoningItem>({ id: 1, summary: 1, type: 1 }),
  function_call: keys<ResponseFunctionToolCall>({ arguments: 1, call_id: 1, name: 1, type: 1 }),
  custom_tool_call: keys<ResponseCustomToolCall>({ call_id: 1, input: 1, name: 1, type: 1 }),
  output_text: keys<ResponseOutputText>({ annotations: 1, text: 1, type: 1 }),
  refusal: keys<ResponseOutputRefusal>({ refusal: 1, type: 1 }),
}

type Event<Type extends string> = Extract<ResponseStreamEvent, { type: Type }>

/** Required members by the type of an event. */
export const responseEvents: Readonly<Record<string, string[]>> = {
  'response.output_item.added': keys<Event<'response.output_item.added'>>({
    item: 1,
    output_index: 1,
    sequence_number: 1,
    type: 1,
  }),
  'response.output_item.done': keys<Event<'response.output_item.done'>>({
    item: 1,
    output_index: 1,
    sequence_number: 1,
    type: 1,
  }),
  'response.output_text.delta': keys<Event<'response.output_text.delta'>>({
    content_index: 1,
    delta: 1,
    item_id: 1,
    logprobs: 1,
    output_index: 1,
    sequence_number: 1,
    type: 1,
  }),
  'response.output_text.done': keys<Event<'response.output_text.done'>>({
    content_index: 1,
    item_id: 1,
    logprobs: 1,
    output_index: 1,
    sequence_number: 1,
    text: 1,
    type: 1,
  }),
  'response.function_call_arguments.delta': keys<Event<'response.function_call_arguments.delta'>>({
    delta: 1,
    item_id: 1,
    output_index: 1,
    sequence_number: 1,
    type: 1,
  }),
  'response.function_call_arguments.done': keys<Event<'response.function_call_arguments.done'>>({
    arguments: 1,
    item_id: 1,
    name: 1,
    output_index: 1,
    sequence_number: 1,
    type: 1,
  }),
}

export function expectMembers(value: unknown, members: readonly string[]): void {
  expect(value).to.be.an('object')
  expect(value).to.include.all.keys(...members)
}
