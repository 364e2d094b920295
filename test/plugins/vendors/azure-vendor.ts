/**
 * Azure as the checks see it, in the shapes of its reference: https://learn.microsoft.com/rest/api/contentsafety/text-operations,
 * https://learn.microsoft.com/rest/api/language/text-analysis-runtime/analyze-text
 */
import type { JsonObject } from '@gateway/contract'
import { answering } from './support.ts'

export const full = { resourceName: 'mine', apiKey: 'k' }
export const io = (reply: unknown, settings: JsonObject = full) => ({
  settings: settings,
  ...answering(reply),
})

/** Rates by words, as if the vendor did. */
export const analyse = ({
  text,
  categories,
  blocklistNames,
}: {
  text: string
  categories: string[]
  blocklistNames: string[]
}) => ({
  categoriesAnalysis: categories.map((category) => ({
    category,
    severity: category === 'Violence' && text.includes('kill') ? 4 : 0,
  })),
  blocklistsMatch: blocklistNames
    .filter(() => text.includes('acme'))
    .map((blocklistName) => ({ blocklistName, blocklistItemId: 'i-1', blocklistItemText: 'acme' })),
})

/** Masks digits, and calls them phone numbers. */
export const maskDigits = ({
  analysisInput,
}: {
  analysisInput: { documents: { id: string; text: string }[] }
}) => ({
  kind: 'PiiEntityRecognitionResults',
  results: {
    documents: analysisInput.documents.map(({ id, text }) => ({
      id,
      redactedText: text.replace(/\d/g, '*'),
      entities: [...text.matchAll(/\d+/g)].map(({ 0: found, index }) => ({
        text: found,
        category: 'PhoneNumber',
        offset: index,
        length: found.length,
        confidenceScore: 0.9,
      })),
      warnings: [],
    })),
    errors: [],
    modelVersion: '2024-11-01',
  },
})

/** Takes every “ignore” for an attack. */
export const shield = ({ userPrompt, documents = [] }: { userPrompt?: string; documents?: string[] }) => ({
  ...(userPrompt === undefined
    ? {}
    : { userPromptAnalysis: { attackDetected: userPrompt.includes('ignore') } }),
  documentsAnalysis: documents.map((text) => ({ attackDetected: text.includes('ignore') })),
})

/** Knows one song. */
export const protect = ({ text }: { text: string }) => ({
  protectedMaterialAnalysis: { detected: text.includes('best things') },
})
