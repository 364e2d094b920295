/** The embedded provider: it repeats the user's message, without a network. */
import { jsonAnswer, type Vendor } from './vendor.ts'

const never = () => jsonAnswer({})

export const echo: Vendor = {
  dialects: ['chatComplete', 'complete', 'embed', 'imageGenerate', 'rerank'].map((id) => `echo:${id}`),
  whole: never,
  stream: never,
  error: never,
  heard: () => ({ texts: [] }),
  hasNoUsage: true,
  isLocal: true,
}
