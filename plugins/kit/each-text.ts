/** Asks a vendor about texts that it takes one at a time: several at once, but not all of a long conversation. */
import type { CheckIo, TextPart } from '@gateway/contract'

const concurrent = 8

/** Gives the answers in the order of the texts; the first that fails ends all. */
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
