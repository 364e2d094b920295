/**
 * The bodies of `generateContent` and related methods, with the path's model as a member and with camelCase names. Only
 * the common members of parts are validated; newer ones and unknown fields pass.
 * Reference: https://ai.google.dev/api/generate-content, https://ai.google.dev/api/tokens,
 * https://ai.google.dev/api/embeddings
 */
import { optional } from '@gateway/contract/wire'
import { type TSchema, Type } from '@sinclair/typebox'

const text = Type.String()
const named = Type.String({ minLength: 1 })
const count = Type.Integer({ minimum: 0 })
const open = { additionalProperties: true }
const object = Type.Object({}, open)

const media = optional(Type.Object({ mimeType: optional(named), data: text }, open))

const part = Type.Object(
  {
    text: optional(text),
    thought: optional(Type.Boolean()),
    thoughtSignature: optional(text),
    inlineData: media,
    fileData: optional(Type.Object({ mimeType: optional(text), fileUri: named }, open)),
    functionCall: optional(Type.Object({ id: optional(text), name: named, args: optional(object) }, open)),
    functionResponse: optional(
      Type.Object({ id: optional(text), name: optional(text), response: optional(object) }, open),
    ),
  },
  open,
)

const content = Type.Object({ role: optional(text), parts: optional(Type.Array(part)) }, open)

const declaration = Type.Object(
  {
    name: named,
    description: optional(text),
    parameters: optional(object),
    parametersJsonSchema: Type.Optional(Type.Unsafe({})),
  },
  open,
)

const tool = Type.Object({ functionDeclarations: optional(Type.Array(declaration)) }, open)

const toolConfig = Type.Object(
  {
    functionCallingConfig: optional(
      Type.Object({ mode: optional(text), allowedFunctionNames: optional(Type.Array(text)) }, open),
    ),
  },
  open,
)

const generationConfig = Type.Object(
  {
    temperature: optional(Type.Number()),
    topP: optional(Type.Number()),
    topK: optional(Type.Number()),
    maxOutputTokens: optional(count),
    candidateCount: optional(Type.Integer({ minimum: 1 })),
    stopSequences: optional(Type.Array(text)),
    seed: optional(Type.Integer()),
    presencePenalty: optional(Type.Number()),
    frequencyPenalty: optional(Type.Number()),
    responseLogprobs: optional(Type.Boolean()),
    logprobs: optional(count),
    responseMimeType: optional(text),
    responseSchema: optional(object),
    responseModalities: optional(Type.Array(text)),
    thinkingConfig: optional(
      Type.Object(
        {
          includeThoughts: optional(Type.Boolean()),
          thinkingBudget: optional(Type.Integer()),
          thinkingLevel: optional(text),
        },
        open,
      ),
    ),
  },
  open,
)

const conversation = {
  model: named,
  contents: Type.Array(content, { minItems: 1 }),
  systemInstruction: optional(content),
  tools: optional(Type.Array(tool)),
  toolConfig: optional(toolConfig),
  generationConfig: optional(generationConfig),
}

export const generateContentRequest = Type.Object(
  {
    ...conversation,
    safetySettings: optional(Type.Array(object)),
    cachedContent: optional(text),
    stream: optional(Type.Boolean()),
  },
  open,
)

export const countContentTokensRequest = Type.Object(conversation, open)

const embedded = {
  content,
  taskType: optional(text),
  title: optional(text),
  outputDimensionality: optional(Type.Integer({ minimum: 1 })),
}

export const embedContentRequest = Type.Object({ model: named, ...embedded }, open)

export const batchEmbedContentsRequest = Type.Object(
  { model: named, requests: Type.Array(Type.Object(embedded, open), { minItems: 1, maxItems: 2048 }) },
  open,
)

const answer = (title: string, members: Record<string, TSchema>): TSchema =>
  Type.Object(members, { title, ...open })

export const generateContentAnswer = answer('GenerateContentResponse', {
  candidates: Type.Optional(
    Type.Array(
      Type.Object(
        { index: Type.Optional(count), content: Type.Optional(content), finishReason: Type.Optional(text) },
        open,
      ),
    ),
  ),
  promptFeedback: Type.Optional(object),
  usageMetadata: Type.Optional(
    Type.Object(
      {
        promptTokenCount: Type.Optional(count),
        candidatesTokenCount: Type.Optional(count),
        cachedContentTokenCount: Type.Optional(count),
        thoughtsTokenCount: Type.Optional(count),
        totalTokenCount: Type.Optional(count),
      },
      open,
    ),
  ),
  modelVersion: Type.Optional(text),
  responseId: Type.Optional(text),
})

export const contentTokensAnswer = answer('CountTokensResponse', { totalTokens: count })

const embedding = Type.Object({ values: Type.Array(Type.Number()) }, open)

export const embedContentAnswer = answer('EmbedContentResponse', { embedding })

export const batchEmbedContentsAnswer = answer('BatchEmbedContentsResponse', {
  embeddings: Type.Array(embedding),
})
