/**
 * Gemini, at Google's own API and in Vertex AI. Source: https://ai.google.dev/api/generate-content,
 * https://ai.google.dev/api/embeddings,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api and …/imagen-api
 */
import type { JsonObject } from '@gateway/contract'
import { eventAnswer, jsonAnswer, listOf, member, type Said, textsIn, type Vendor } from './vendor.ts'

const statuses: Readonly<Record<number, string>> = { 401: 'UNAUTHENTICATED', 429: 'RESOURCE_EXHAUSTED' }

const error = (status: number, message: string) =>
  jsonAnswer({ error: { code: status, message, status: statuses[status] ?? 'INTERNAL' } }, status)

const usageOf = ({ usage: { prompt, completion } }: Said): JsonObject => ({
  promptTokenCount: prompt,
  candidatesTokenCount: completion,
  totalTokenCount: prompt + completion,
})

const candidate = ({ usage }: Said, parts: JsonObject[], rest: JsonObject = {}): JsonObject => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...rest }],
  modelVersion: 'test-model',
  responseId: `r${usage.prompt}`,
})

const callsOf = (said: Said) => said.calls.map(({ name, input }) => ({ functionCall: { name, args: input } }))

export const geminiContent: Vendor = {
  dialects: ['gemini-generate-content'],
  hasNoCallIds: true,
  whole(said) {
    const parts = [...(said.text === '' ? [] : [{ text: said.text }]), ...callsOf(said)]
    return jsonAnswer({ ...candidate(said, parts, { finishReason: 'STOP' }), usageMetadata: usageOf(said) })
  },
  stream: (said) =>
    eventAnswer([
      ...said.pieces.map((text) => candidate(said, [{ text }])),
      ...callsOf(said).map((call) => candidate(said, [call])),
      { ...candidate(said, [{ text: '' }], { finishReason: 'STOP' }), usageMetadata: usageOf(said) },
    ]),
  error,
  heard({ request: { json } }) {
    const parts = listOf(member(json, 'contents')).flatMap((content) => listOf(member(content, 'parts')))
    const declared = listOf(member(json, 'tools')).flatMap((tool) =>
      listOf(member(tool, 'functionDeclarations')),
    )
    const config = member(json, 'generationConfig')
    return {
      texts: [...textsIn(member(json, 'systemInstruction')), ...textsIn(member(json, 'contents'))],
      tools: declared.map((tool) => String(member(tool, 'name'))),
      images: parts.flatMap((part) => {
        const data = member(part, 'inlineData', 'data')
        return typeof data === 'string' ? [data] : []
      }),
      schema: member(config, 'responseJsonSchema') ?? member(config, 'responseSchema'),
    }
  },
}

const contentTexts = (json: unknown) => ({ texts: textsIn(json) })

export const geminiEmbeddings: Vendor = {
  dialects: ['gemini-batch-embed-contents'],
  hasNoUsage: true,
  whole: (said) => jsonAnswer({ embeddings: said.vectors.map((values) => ({ values })) }),
  error,
  heard: ({ request }) => contentTexts(request.json),
}

export const vertexEmbeddings: Vendor = {
  dialects: ['vertex-predict-embeddings'],
  whole: (said) =>
    jsonAnswer({
      predictions: said.vectors.map((values, index) => ({
        // All the tokens stand with the first text.
        embeddings: {
          values,
          statistics: { truncated: false, token_count: index === 0 ? said.usage.prompt : 0 },
        },
      })),
    }),
  error,
  heard: ({ request }) => contentTexts(request.json),
}

export const geminiImage: Vendor = {
  dialects: ['gemini-image'],
  whole: (said) =>
    jsonAnswer(
      candidate(said, [{ inlineData: { mimeType: 'image/png', data: said.image } }], {
        finishReason: 'STOP',
      }),
    ),
  error,
  heard: ({ request }) => contentTexts(request.json),
}

export const imagen: Vendor = {
  dialects: ['vertex-imagen'],
  whole: ({ image }) => jsonAnswer({ predictions: [{ bytesBase64Encoded: image, mimeType: 'image/png' }] }),
  error,
  heard: ({ request }) => contentTexts(request.json),
}
