/** All vendors of the suite. An adapter whose dialect none of them plays fails it: add the vendor here. */
import { ai21 } from './ai21.ts'
import { anthropic } from './anthropic.ts'
import { bedrockCompletions, bedrockEmbed, bedrockImage, bedrockRerank, converse } from './bedrock.ts'
import { cohereChat, cohereEmbed } from './cohere.ts'
import {
  compatibleChat,
  compatibleCompletion,
  compatibleEmbedding,
  compatibleImage,
  compatibleRerank,
} from './compatible.ts'
import { echo } from './echo.ts'
import { geminiContent, geminiEmbeddings, geminiImage, imagen, vertexEmbeddings } from './gemini.ts'
import { fireworks, segmind, stabilityEngine, stableImage } from './images.ts'
import { nomic } from './nomic.ts'
import { ollamaChat, ollamaEmbed } from './ollama.ts'
import { oracle } from './oracle.ts'
import { reka } from './reka.ts'
import type { Vendor } from './vendor.ts'
import { workersChat, workersEmbedding, workersImage, workersText } from './workers-ai.ts'

const vendors: readonly Vendor[] = [
  ai21,
  anthropic,
  ...bedrockCompletions,
  bedrockEmbed,
  bedrockImage,
  bedrockRerank,
  cohereChat,
  cohereEmbed,
  converse,
  compatibleChat,
  compatibleCompletion,
  compatibleEmbedding,
  compatibleImage,
  compatibleRerank,
  echo,
  fireworks,
  geminiContent,
  geminiEmbeddings,
  geminiImage,
  imagen,
  nomic,
  ollamaChat,
  ollamaEmbed,
  oracle,
  reka,
  segmind,
  vertexEmbeddings,
  workersChat,
  workersEmbedding,
  workersImage,
  workersText,
  stabilityEngine,
  stableImage,
]

/** The vendor that plays a dialect (or `ADAPTER:ENDPOINT`). */
export const vendorOf = (dialect: string): Vendor | undefined =>
  vendors.find(({ dialects }) => dialects.includes(dialect))
