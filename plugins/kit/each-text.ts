/** Sends texts to a vendor that accepts one text per call: several in parallel, but not all of a long conversation. */
import type { CheckIo, TextPart } from '@gateway/contract'

const concurrent = 8

/** Returns the answers in the order of the texts. The first failure ends all calls. */
export async function eachText<Answer>(
  texts: readonly TextPart[],
  io: CheckIo,
  ask: (part: TextPart, io: CheckIo) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let start = 0; start < texts.length; start += concurrent) {
    io.signal.throwIfAborted()
    const several = texts.slice(start, start + concurrent)
    answers.push(...(await Promise.all(several.map((part) => ask(part, io)))))
  }
  return answers
}
