/** Validates the training data of a job: the file's purpose, and that its lines are JSON objects. */
import { isObject } from '@gateway/contract'
import type { DocumentOf } from '@gateway/domain'
import type { FileLibrary } from '../files/library.ts'
import type { JobFault } from './entities.ts'

const longestLine = 26_214_400

export async function checkTrainingFile(
  files: FileLibrary,
  file: DocumentOf<'file'>,
  param: string,
): Promise<JobFault | null> {
  const fault = (message: string): JobFault => ({ code: 'invalid_training_file', message, param })
  if (file.data.purpose !== 'fine-tune')
    return fault(`The file has the purpose ${file.data.purpose} but must have the purpose fine-tune.`)
  let number = 0
  let examples = 0
  for await (const line of linesOf(await files.read(file))) {
    number += 1
    if (line === null) return fault(`Line ${number} is longer than ${longestLine} characters.`)
    if (line.trim() === '') continue
    if (!isJsonObject(line)) return fault(`Line ${number} is not a JSON object.`)
    examples += 1
  }
  return examples === 0 ? fault('The file has no examples.') : null
}

function isJsonObject(line: string): boolean {
  try {
    return isObject(JSON.parse(line))
  } catch {
    // A syntax error is an invalid line, not an error here.
    return false
  }
}

/** Null for a line that is too long; reading stops there. A byte order mark is not part of the first line. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<string | null> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of source) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestLine) {
      yield null
      return
    }
    yield* lines
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
