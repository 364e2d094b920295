/** The vendors behind the gateway: the path at which each is, its target, and how it reads, answers and fails. */
import { anthropic } from '../../conformance/vendors/anthropic.ts'
import { converse } from '../../conformance/vendors/bedrock.ts'
import { compatibleChat } from '../../conformance/vendors/compatible.ts'
import { geminiContent } from '../../conformance/vendors/gemini.ts'
import type { Said, Vendor, VendorAnswer } from '../../conformance/vendors/vendor.ts'
import type { SeenRequest } from '../../support/upstream.ts'
import { anthropicMessages } from './anthropic.ts'
import { bedrockConverse } from './bedrock.ts'
import type { Conversation, Format } from './conversation.ts'
import { geminiContents } from './gemini.ts'
import { groqChat, openaiChat } from './openai-chat.ts'
import { answerResponse, openaiResponses, refuseTooLong } from './openai-responses.ts'

export const vendorNames = ['openai', 'anthropic', 'google', 'bedrock', 'groq'] as const
export type VendorName = (typeof vendorNames)[number]

interface Place {
  /** The title in the page. */
  title: string
  model: string
  /** Others that it has. */
  more?: readonly string[]
  /** The settings of the target, in addition to the provider. */
  settings(origin: string): Record<string, unknown>
}

const withKey = (path: string) => (origin: string) => ({
  api_key: 'sk-scripted',
  custom_host: `${origin}${path}`,
})

export const places: Readonly<Record<VendorName, Place>> = {
  openai: { title: 'OpenAI', model: 'gpt-5', more: ['gpt-4.1', 'gpt-5.5'], settings: withKey('/openai/v1') },
  anthropic: { title: 'Anthropic', model: 'claude-sonnet-4-5', settings: withKey('/anthropic/v1') },
  google: { title: 'Gemini', model: 'gemini-2.5-pro', settings: withKey('/google/v1beta') },
  bedrock: {
    title: 'Bedrock',
    model: 'amazon.nova-pro-v1:0',
    settings: (origin) => ({
      cloudA_access_key_id: 'AKIDSCRIPTED',
      cloudA_secret_access_key: 'sk-scripted',
      cloudA_region: 'eu-central-1',
      custom_host: `${origin}/bedrock`,
    }),
  },
  groq: { title: 'Groq (chat only)', model: 'llama-3.3-70b-versatile', settings: withKey('/groq/v1') },
}

/** One procedure of a vendor. */
export interface Procedure {
  vendor: VendorName
  format: Format
  /** Answers in the vendor's form. */
  answer(said: Said, conversation: Conversation, request: SeenRequest): VendorAnswer
  fail(status: number, message: string, request: SeenRequest): VendorAnswer
  /** Refuses a request as too long for the model, in the vendor's words. */
  tooLong(
    bytes: number,
    most: number,
    options: { conversation: Conversation; request: SeenRequest },
  ): VendorAnswer
}

/** The vendors' words for it. Sources: their pages about errors. */
const tooLongWords: Readonly<Record<VendorName, (tokens: number, most: number) => string>> = {
  openai: (tokens, most) =>
    `Input tokens exceed the configured limit of ${most} tokens. Your messages resulted in ${tokens} tokens.`,
  anthropic: (tokens, most) => `prompt is too long: ${tokens} tokens > ${most} maximum`,
  google: (tokens, most) =>
    `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${most}).`,
  bedrock: () => 'Input is too long for requested model.',
  groq: () => 'Please reduce the length of the messages or completion.',
}

const played = (adapter: VendorName, request: SeenRequest) => ({
  adapter,
  endpoint: 'chatComplete' as const,
  model: places[adapter].model,
  request,
})

const procedure = (vendor: VendorName, format: Format, by: Vendor): Procedure => ({
  vendor,
  format,
  answer(said, { isStreamed }, request) {
    const call = played(vendor, request)
    return isStreamed && by.stream !== undefined ? by.stream(said, call) : by.whole(said, call)
  },
  fail: (status, message, request) => by.error(status, message, played(vendor, request)),
  tooLong: (bytes, most, { request }) =>
    by.error(400, tooLongWords[vendor](tokensOf(bytes), tokensOf(most)), played(vendor, request)),
})

const tokensOf = (bytes: number) => Math.ceil(bytes / 4)

const chat = procedure('openai', openaiChat, compatibleChat)

const procedures: readonly [path: RegExp, Procedure][] = [
  [
    /^\/openai\/v1\/responses$/,
    {
      ...chat,
      format: openaiResponses,
      answer: (said, conversation) => answerResponse(said, places.openai.model, conversation),
      tooLong: (_bytes, _most, { conversation }) => refuseTooLong(places.openai.model, conversation),
    },
  ],
  [/^\/openai\/v1\/chat\/completions$/, chat],
  [/^\/anthropic\/v1\/messages/, procedure('anthropic', anthropicMessages, anthropic)],
  [/^\/google\/v1beta\/models\/.*enerateContent/, procedure('google', geminiContents, geminiContent)],
  [/^\/bedrock\/model\/.*\/converse/, procedure('bedrock', bedrockConverse, converse)],
  [/^\/groq\/v1\/chat\/completions$/, procedure('groq', groqChat, compatibleChat)],
]

export const procedureAt = (path: string): Procedure | undefined =>
  procedures.find(([pattern]) => pattern.test(path))?.[1]
