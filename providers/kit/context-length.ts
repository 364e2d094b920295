/**
 * Vendors' errors for requests with more tokens than the model accepts. Clients then compact the conversation, but each
 * recognises only the wording of its own vendor, so the gateway answers with the wording of the caller's format.
 * References: the vendors' pages about errors, and the issues of agents that list what they met.
 */
import type { UpstreamError } from '@gateway/contract'

interface Wording {
  /** The vendor. */
  vendors: string
  /** `tokens`: the tokens of the request, to which `more` is added; `maximum`: that of the model. */
  says: RegExp
}

const number = (name: string) => `(?<${name}>\\d[\\d,]*)`
const wording = (vendors: string, says: string): Wording => ({ vendors, says: new RegExp(says, 'i') })

/** More specific patterns come first: the first match is used. */
export const contextLengthWordings: readonly Wording[] = [
  wording(
    'Anthropic, Bedrock',
    `prompt is too long: ${number('tokens')} tokens > ${number('maximum')} maximum`,
  ),
  wording(
    'Anthropic',
    `input length and \`max_tokens\` exceed context limit: ${number('tokens')} \\+ ${number('more')} > ${number('maximum')}`,
  ),
  wording(
    'Fireworks AI',
    `prompt is too long: ${number('tokens')}, model maximum context length: ${number('maximum')}`,
  ),
  wording(
    'vLLM',
    `is too large: ${number('more')}\\. This model's maximum context length is ${number('maximum')} tokens and your request has ${number('tokens')} input tokens`,
  ),
  wording(
    'OpenAI, Azure, DeepSeek, vLLM, OpenRouter, SGLang',
    `maximum context length (?:is|of) ${number('maximum')}(?: tokens)?[.,]? however,? (?:you requested|your (?:messages|prompt|input|request)\\D*)(?: about)? ?${number('tokens')}`,
  ),
  wording(
    'OpenAI',
    `input tokens exceed the configured limit of ${number('maximum')} tokens\\. your messages resulted in ${number('tokens')} tokens`,
  ),
  wording(
    'vLLM',
    `prompt \\(length ${number('tokens')}\\) is longer than the maximum model length of ${number('maximum')}`,
  ),
  wording(
    'Google Gemini',
    `input token count \\(${number('tokens')}\\) exceeds the maximum number of tokens allowed \\(${number('maximum')}\\)`,
  ),
  wording(
    'Vertex AI',
    `input token count is ${number('tokens')} but (?:the )?model only supports up to ${number('maximum')}`,
  ),
  wording(
    'Bedrock',
    `too many input tokens\\. max input tokens: ${number('maximum')}, request input token count: ${number('tokens')}`,
  ),
  wording('Bedrock', 'input is too long for requested model|input tokens exceeded'),
  wording(
    'Mistral AI',
    `prompt contains ${number('tokens')} tokens.* too large for model with ${number('maximum')} maximum context length`,
  ),
  wording(
    'Cerebras',
    `reduce the length of the messages or completion\\. current length is ${number('tokens')} while limit is ${number('maximum')}`,
  ),
  wording('Groq', 'reduce the length of the messages or completion'),
  wording(
    'Cohere',
    `number of tokens in the prompt cannot exceed ${number('maximum')} - received ${number('tokens')}`,
  ),
  wording('Cohere', 'too many tokens: (?:size limit exceeded|total number of tokens)'),
  wording(
    'llama.cpp',
    `request \\(${number('tokens')} tokens\\) exceeds the available context size \\(${number('maximum')} tokens\\)`,
  ),
  wording('llama.cpp', 'exceeds the available context size'),
  wording('Ollama', 'input (?:length )?exceeds the (?:maximum )?context length'),
  wording('LM Studio', 'tokens to keep from the initial prompt is greater than the context length'),
  wording(
    'xAI',
    `maximum prompt length is ${number('maximum')} but the request contains ${number('tokens')} tokens`,
  ),
  wording(
    'Text Generation Inference, Together AI',
    `\`inputs\` tokens \\+ \`max_new_tokens\` must be <= ${number('maximum')}\\. Given: ${number('tokens')} \`inputs\` tokens and ${number('more')}`,
  ),
  wording(
    'Moonshot AI',
    `exceeded model token limit: ${number('maximum')}(?: \\(requested: ${number('tokens')}\\))?`,
  ),
  wording(
    'GitHub Models',
    `prompt token count of ${number('tokens')} exceeds the limit of ${number('maximum')}`,
  ),
  wording(
    'Cloudflare Workers AI',
    `input and maximum output tokens \\(${number('tokens')}\\) exceeded this model context window limit \\(${number('maximum')}\\)`,
  ),
  wording('Alibaba Cloud', `range of input length should be \\[\\d+, ${number('maximum')}\\]`),
  wording('Z.ai', 'prompt exceeds max(?:imum)? length'),
  wording('MiniMax', 'context window exceeds limit'),
  wording('OpenAI', 'input exceeds the context window of this model'),
  wording('others', `maximum context length is ${number('maximum')} tokens`),
  wording('others', 'prompt is too long|context (?:length|window) (?:was |is |has been )?exceeded'),
]

/** Vendors' error codes for the same. */
const codes = new Set([
  'context_length_exceeded',
  'model_max_prompt_tokens_exceeded',
  'exceed_context_size_error',
  'prompt_too_long',
])

/** Statuses of other refusals, whose texts may be similar: `Too many tokens, please wait` is a rate limit. */
const others = new Set([401, 402, 403, 404, 429])

/** The same error, marked if it means that the request is too long for the model. */
export function withContextLength(error: UpstreamError): UpstreamError {
  if (others.has(error.status)) return error
  for (const { says } of contextLengthWordings) {
    const found = says.exec(error.message)
    if (found === null) continue
    const { tokens, more, maximum } = found.groups ?? {}
    const counted = countOf(tokens)
    const total = counted === null ? null : counted + (countOf(more) ?? 0)
    return { ...error, tooLong: { tokens: total, maximum: countOf(maximum) } }
  }
  return codes.has(error.code) || codes.has(error.type)
    ? { ...error, tooLong: { tokens: null, maximum: null } }
    : error
}

const countOf = (digits: string | undefined): number | null =>
  digits === undefined ? null : Number(digits.replaceAll(',', ''))
